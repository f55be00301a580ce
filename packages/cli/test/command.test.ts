import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Serving } from "./commandLine.ts"
import { main, readyToSend, request, run, runJson, runProcess, send, serve } from "./commandLine.ts"

let data: string
let servers: Array<Serving>
beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), "mailkeep-cli-")), "data")
  servers = []
})
afterEach(async () => {
  for (const server of servers) await server.kill("SIGKILL")
  rmSync(join(data, ".."), { recursive: true })
})

const serving = async (args: ReadonlyArray<string>, env?: Record<string, string>) => {
  const server = await serve(args, env)
  servers.push(server)
  return server
}

const atData = () => ["--data", data]
const inProject = () => [...atData(), "--project", "prj_x"]

describe("keys and domains", () => {
  it("initializes an empty data folder and prints one line of JSON", async () => {
    const created = await runJson([
      "keys",
      "create",
      ...inProject(),
      "--permission",
      "email.send",
      "--permission",
      "email.full_access",
      "--domain-scope",
      "Example.com",
      "--expires-at",
      "2099-01-01T00:00:00+01:00",
      "--name",
      "first"
    ])
    expect(created).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^mk_[0-9a-z]{12}_[0-9a-z]{32}$/),
      project: "prj_x",
      name: "first",
      permissions: ["email.send", "email.full_access"],
      domainScope: ["example.com"],
      createdAt: expect.any(String),
      expiresAt: "2098-12-31T23:00:00.000Z",
      revokedAt: null,
      lastUsedAt: null
    })
    const { keys } = await runJson(["keys", "list", ...inProject()])
    expect(keys).toMatchObject([{ id: created.id, name: "first" }])
    expect(JSON.stringify(keys)).not.toContain(created.key.slice(16))
    expect(await runJson(["domains", "add", "Example.com", ...inProject(), "--verified"])).toMatchObject({
      domain: "example.com",
      status: "verified"
    })
    expect(await runJson(["domains", "add", "other.example", ...inProject()])).toMatchObject({ status: "pending" })
    expect((await runJson(["domains", "list", ...inProject()])).domains).toHaveLength(2)
    expect(await runJson(["keys", "revoke", created.id, ...atData()])).toMatchObject({
      id: created.id,
      revokedAt: expect.any(String)
    })
  })

  it("prints text for people without --json", async () => {
    expect((await run(["domains", "add", "example.com", ...inProject(), "--verified"])).stdout).toBe(
      "example.com verified\n"
    )
    expect((await run(["domains", "list", ...inProject()])).stdout).toMatch(
      /ID +DOMAIN +STATUS +ERROR\ndom_\S+ +example\.com +verified\n/
    )
    expect((await run(["keys", "create", ...inProject(), "--permission", "email.send"])).stdout).toMatch(
      /^key_\S+\nmk_\S+\n/
    )
  })

  it("says on standard error that an API key with email.full_access alone cannot send", async () => {
    const create = (...permissions: ReadonlyArray<string>) =>
      run(["keys", "create", ...inProject(), ...permissions.flatMap((one) => ["--permission", one])])
    const reader = await create("email.full_access")
    expect(reader.code).toBe(0)
    expect(reader.stderr).toMatch(/^This API key cannot send mail: email\.full_access does not include email\.send\./)
    expect((await create("email.full_access", "email.send")).stderr).toBe("")
    expect((await create("email.send")).stderr).toBe("")
  })

  it("prints a refusal as one line on standard error and exits with code 1", async () => {
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["domains", "add", "nodots", ...inProject()], /domain must be a domain name/],
      [["keys", "revoke", "key_x", ...atData()], /No API key with this ID/],
      [["keys", "create", ...inProject(), "--permission", "email.none"], /email\.none|permission/],
      [["keys", "create", ...inProject()], /permission/],
      [["keys", "create", ...inProject(), "--permission", "email.send", "--expires-at", "tomorrow"], /ISO 8601/],
      [
        ["keys", "create", ...inProject(), "--permission", "email.send", "--expires-at", "2027-02-29T00:00:00Z"],
        /on a date that exists, not "2027-02-29T00:00:00Z"/
      ],
      [["keys", "list", "--data", "/dev/null/x", "--project", "p"], /cannot be used/]
    ]
    for (const [args, words] of refusals) {
      const { code, stderr, stdout } = await run(args)
      expect([args, code]).toEqual([args, 1])
      expect(stderr + stdout).toMatch(words)
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })
})

describe("serve", () => {
  it("prints its address once it listens, uses API keys and domains created beside it at once, and ends cleanly", async () => {
    const server = await serving(["serve", ...atData(), "--port", "0"])
    const { url } = server.line
    expect(server.line).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), transport: "stub" })
    const { key, id } = await readyToSend(atData())
    const sent = await request(url, key, "/emails/send", send("a"))
    expect(sent.status).toBe(202)
    await expect
      .poll(async () => (await request(url, key, `/emails/logs/${sent.body.data.deliveryIds[0]}`)).body.status)
      .toBe("delivered")
    await runJson(["keys", "revoke", id, ...atData()])
    expect((await request(url, key, "/emails/domains")).status).toBe(401)
    expect(await server.kill("SIGTERM")).toBe(0)
    expect(server.output.stdout.trim().split("\n")).toHaveLength(1)
    expect(server.output.stderr).not.toContain(key)
  })

  it("applies the default plan of its flags", async () => {
    const { key } = await readyToSend(atData())
    const { line } = await serving([
      "serve",
      ...atData(),
      "--port",
      "0",
      "--daily-sends",
      "1",
      "--contacts",
      "0",
      "--rate-limit",
      "5/1h"
    ])
    const post = (path: string, init: RequestInit) => request(line.url, key, path, init)
    expect((await post("/emails/send", send("a"))).status).toBe(202)
    expect((await post("/emails/send", send("b"))).body.code).toBe("daily_sending_limit_exceeded")
    const contact = { method: "POST", body: JSON.stringify({ email: "a@example.org" }) }
    expect((await post("/emails/contacts", contact)).body.code).toBe("contact_limit_exceeded")
    await post("/emails/contacts", contact)
    await post("/emails/contacts", contact)
    expect((await post("/emails/contacts", contact)).body).toMatchObject({ code: "RATE_LIMITED", scope: "api_key" })
  })

  it("reads settings from the environment too", async () => {
    const { line } = await serving(["serve"], {
      MAILKEEP_DATA: data,
      MAILKEEP_PORT: "0",
      MAILKEEP_SCHEDULED_RECIPIENTS: "0",
      MAILKEEP_SENDING_ALLOWANCE: "0",
      MAILKEEP_ATTACHMENT_BYTES: "2"
    })
    await runJson(["domains", "add", "example.com", ...inProject(), "--verified"])
    const { key } = await runJson(["keys", "create", ...inProject(), "--permission", "email.send"])
    const scheduledAt = new Date(Date.now() + 60_000).toISOString()
    expect((await request(line.url, key, "/emails/send", send("a", { scheduledAt }))).body.code).toBe(
      "scheduled_recipient_limit_exceeded"
    )
    expect((await request(line.url, key, "/emails/send", send("b"))).body.code).toBe("sending_allowance_exceeded")
    const attachments = [{ filename: "a.txt", content: "QUJD" }]
    expect((await request(line.url, key, "/emails/send", send("c", { attachments }))).body.message).toBe(
      "body.attachments must have at most 2 bytes together"
    )
  })

  it.each(["--port", "--operations-port", "--smtp-port"])(
    "sends no due message when the port of %s is in use",
    async (flag) => {
      await readyToSend(atData())
      const mail = ["--from", "hello@example.com", "--to", "ada@example.org", "--subject", "Hi", "--text", "Hi"]
      await runJson(["send", ...atData(), "--project", "prj_x", ...mail])
      const { line } = await serving(["serve", "--data", `${data}2`, "--port", "0"])
      const { code } = await run(["serve", ...atData(), "--port", "0", flag, new URL(line.url).port])
      expect(code).toBe(1)
      const { deliveries } = await runJson(["logs", ...atData(), "--project", "prj_x"])
      expect(deliveries).toMatchObject([{ status: "queued" }])
    }
  )

  it("prints an error when its port is in use or its settings are wrong", async () => {
    const { line } = await serving(["serve", ...atData(), "--port", "0"])
    const port = new URL(line.url).port
    const taken = await run(["serve", "--data", `${data}2`, "--port", port])
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/cannot listen on 127\.0\.0\.1/)])
    const operations = await run(["serve", "--data", `${data}2`, "--port", "0", "--operations-port", port])
    expect([operations.code, operations.stderr]).toEqual([
      1,
      expect.stringContaining(`cannot listen on 127.0.0.1:${port} for health and metrics`)
    ])
    for (const wrong of [
      ["--port", "99999"],
      ["--dns", "nonsense"],
      ["--unsubscribe-url", "http://acme.example/unsubscribe"],
      ["--unsubscribe-url", "https://acme.example/unsubscribe?a"],
      ["--rate-limit", "fast"],
      ["--daily-sends", "-1"],
      ["--attachment-bytes", "20MiB"],
      ["--keep-messages-days", "0"],
      ["--keep-bodies-days", "0"],
      ["--keep-attachments-days", "-1"],
      ["--keep-events-days", "x"],
      ["--transport", "pigeon"],
      ["--webhook-ports", "443,0"],
      ["--webhook-deny", "example.com"]
    ])
      expect(await run(["serve", ...atData(), ...wrong])).toMatchObject({
        code: 1,
        stderr: expect.not.stringMatching(/TypeError|\n\s+at .*:\d+:\d+/)
      })
    for (const [name, value] of [
      ["MAILKEEP_PORT", "99999"],
      ["MAILKEEP_DAILY_SENDS", "-5"],
      ["MAILKEEP_CONTACTS", "many"],
      ["MAILKEEP_PORT", "abc"],
      ["MAILKEEP_PORT", "1.5"],
      ["MAILKEEP_GRACE", "ten"],
      ["MAILKEEP_RATE_LIMIT", "fast"],
      ["MAILKEEP_KEEP_EVENTS_DAYS", "0"],
      ["MAILKEEP_BOUNCE_DOMAIN", "no domain"]
    ] as const) {
      const { code, stdout, stderr } = await run(["serve", ...atData()], { [name]: value })
      expect([name, code]).toEqual([name, 1])
      expect(stdout + stderr).not.toMatch(/\n\s+at .*:\d+:\d+|RangeError/)
      expect(stderr).toContain(`"${value}". Expected `)
      expect(stderr).toContain(`. The value is that of ${name}`)
    }
    const given = await run(["serve", ...atData(), "--port", "99999"], { MAILKEEP_PORT: "abc" })
    expect(given.stderr).not.toContain("The value is that of")
    expect(given.stderr).toContain('"99999". Expected a value between 0 and 65535')
    const location = await run(["serve", ...atData()], { MAILKEEP_STORE: "mysql://user:secret@db.example" })
    expect(location.stderr).toContain("The value is that of MAILKEEP_STORE")
    expect(location.stdout + location.stderr).not.toContain("secret")
  })
})

describe("start", () => {
  it("prints commands that work; the next run creates a new API key and revokes the previous one", async () => {
    const first = await serving(["start", ...atData(), "--port", "0"])
    expect(first.line).toMatchObject({ project: "prj_demo", key: expect.stringMatching(/^mk_/) })
    const { mailbox } = first.line as { readonly mailbox?: unknown }
    expect(mailbox).toBe(`${first.line.url}/mailbox`)
    expect((await fetch(String(mailbox))).status).toBe(200)
    await first.kill("SIGTERM")
    const second = await serving(["start", ...atData(), "--port", "0"])
    expect((await request(second.line.url, first.line.key!, "/emails/domains")).status).toBe(401)
    expect((await request(second.line.url, second.line.key!, "/emails/domains")).body.data.total).toBe(1)
    const { keys } = await runJson(["keys", "list", ...atData(), "--project", "prj_demo"])
    expect(keys.map(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)).toEqual([false, true])
  })

  it("prints two curl commands that work as documented", async () => {
    const child = spawn(process.execPath, [main, "start", ...atData(), "--port", "0"])
    let shown = ""
    child.stdout.on("data", (chunk) => (shown += String(chunk)))
    await expect.poll(() => shown).toContain("No mail is sent yet:")
    const [post, list] = shown.match(/^curl(?:.*\\\n)*.*$/gm)!
    const paste = (command: string) => JSON.parse(execFileSync("bash", ["-c", command], { encoding: "utf8" }))
    const { data: sent } = paste(post!)
    expect(sent).toMatchObject({ totalQueued: 1, scheduledAt: null })
    await expect.poll(() => paste(list!).data.items[0]).toMatchObject({ id: sent.deliveryIds[0], status: "delivered" })
    child.kill("SIGTERM")
    await new Promise((resolve) => child.on("close", resolve))
  })
})

it("ends its process with the exit code of the command", async () => {
  const refused = await runProcess(["keys", "revoke", "key_x", ...atData()])
  expect(refused).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^mailkeep: No API key .*\n$/) })
  expect(await runProcess(["keys", "list", ...inProject(), "--json"])).toEqual({
    code: 0,
    stdout: '{"keys":[]}\n',
    stderr: expect.stringContaining("The project does not exist.")
  })
})

it("prints its help", async () => {
  const { code, stdout } = await run(["--help"])
  expect(code).toBe(0)
  for (const word of ["start", "serve", "keys", "domains"]) expect(stdout).toContain(word)
})
