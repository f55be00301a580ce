/**
 * The commands for the records of a project, run beside a server as a person or a script does.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Serving } from "./commandLine.ts"
import { run, runIntoClosedPipe, runJson, serve } from "./commandLine.ts"

let folder: string
let server: Serving
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-cli-"))
  server = await serve(["serve", "--data", join(folder, "data"), "--port", "0", "--allow-loopback-webhooks"])
  await runJson(["domains", "add", "example.com", ...here(), "--verified"])
})
afterAll(async () => {
  await server.kill("SIGKILL")
  rmSync(folder, { recursive: true })
})

const here = () => ["--data", join(folder, "data"), "--project", "prj_x"]
const send = (to: string, subject: string, text: string) =>
  runJson(["send", ...here(), "--from", "hello@example.com", "--to", to, "--subject", subject, "--text", text])
const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe("the commands for records beside a running server", () => {
  it("lists all suppressed addresses, or says that there are more than the limit", async () => {
    const project = ["--data", join(folder, "other"), "--project", "prj_suppressions"]
    const addresses = Array.from({ length: 130 }, (_, n) => `s${n}@example.org`)
    const csv = file(
      "suppressed.csv",
      `email,email_status\n${addresses.map((one) => `${one},unsubscribed\n`).join("")}`
    )
    await run(["contacts", "import", csv, ...project])
    const all = await runJson(["suppressions", "list", ...project])
    expect([all.suppressions.length, all.hasMore]).toEqual([130, false])
    const some = await runJson(["suppressions", "list", ...project, "--limit", "120"])
    expect([some.suppressions.length, some.hasMore]).toEqual([120, true])
    expect((await run(["suppressions", "list", ...project, "--limit", "3"])).stdout).toMatch(
      /\nThere are more\. Leave out --limit to see all\n$/
    )
  })

  it("ends logs --follow when its pipe is closed", async () => {
    const project = ["--data", join(folder, "other"), "--project", "prj_pipe"]
    await runJson(["domains", "add", "pipe.example", ...project, "--verified"])
    const message = ["--from", "a@pipe.example", "--to", "b@example.org", "--subject", "s", "--text", "t"]
    await runJson(["send", ...project, ...message])
    expect(await runIntoClosedPipe(["logs", "--follow", ...project])).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("sends a message, follows it and lists it", async () => {
    const sent = await send("ada@example.org", "Hi", "Hi")
    expect(sent).toMatchObject({ messageId: expect.stringMatching(/^msg_/), totalQueued: 1, scheduledAt: null })
    const delivered = async () =>
      (await runJson(["logs", ...here(), "--recipient", "ADA@example.org", "--status", "delivered"])).deliveries
    await expect.poll(delivered).toMatchObject([{ id: sent.deliveryIds[0], subject: "Hi" }])
    const people = await run(["logs", ...here()])
    expect(people.stdout).toMatch(/CREATED\s+STATUS\s+ID\s+RECIPIENT\s+SUBJECT\n.*delivered.*ada@example\.org\s+Hi/)
    const refused = await run([
      "send",
      ...here(),
      "--from",
      "hello@other.example",
      "--to",
      "a@b.example",
      "--subject",
      "x",
      "--text",
      "x"
    ])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("not a verified domain") })
  })

  it("prints each change as one line with logs --follow until it is interrupted", async () => {
    const follower = await serve(["logs", "--follow", ...here()]).catch((failure: unknown) => failure as Error)
    expect(follower).not.toBeInstanceOf(Error)
    await send("eve@example.org", "Follow", "x")
    const lines = () =>
      (follower as Serving).output.stdout
        .split("\n")
        .filter((line) => line.includes("eve@example.org"))
        .map((line) => JSON.parse(line).status)
    await expect.poll(lines).toContain("delivered")
    expect(await (follower as Serving).kill("SIGTERM")).toBe(0)
  })

  it("explains what happened to a delivery and what it waits for", async () => {
    const sent = await send("bob@example.org", "Why", "x")
    const [id] = sent.deliveryIds
    await expect.poll(async () => (await runJson(["explain", id, ...here()])).status).toBe("delivered")
    const story = await runJson(["explain", id, ...here()])
    expect(story).toMatchObject({ recipient: "bob@example.org", now: { waitsFor: "report", until: null } })
    expect(story.entries[0]).toMatchObject({
      kind: "accepted",
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
    })
    expect(story.entries.map(({ kind }: { readonly kind: string }) => kind)).toContain("attempt_ended")
    // An instant that was left as a number.
    expect(JSON.stringify(story)).not.toMatch(/:\d{13}\b/)
    expect((await run(["explain", id, ...here()])).stdout).toMatch(
      /^del_\w+ to bob@example\.org: delivered\n\d{4}-.*accepted.*\nThe message is delivered\./s
    )
    const unknown = await run(["explain", "del_none", ...here()])
    expect(unknown).toEqual({ code: 1, stdout: "", stderr: "mailkeep: No delivery with this ID.\n" })
  })

  it.each(["0", "-3"])("refuses the page %s of the contacts instead of another page", async (page) => {
    const { code, stdout, stderr } = await run(["contacts", "list", ...here(), `--page=${page}`, "--json"])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Invalid value for flag --page: "${page}"`)])
    expect(stdout).not.toContain('"contacts"')
  })

  it("imports contacts from a file, reports each refused line, and exports the contacts", async () => {
    const csv = file("in.csv", "email,first_name\nada@example.org,Ada\nnobody,x\nbob@example.org,Bob\n")
    const refused = join(folder, "refused.csv")
    const first = await run(["contacts", "import", csv, ...here(), "--json", "--refused", refused])
    expect(first.code).toBe(2)
    expect(JSON.parse(first.stdout)).toMatchObject({ created: 2, updated: 0, refused: 1 })
    expect(readFileSync(refused, "utf8")).toBe(
      "line,field,code,message\r\n3,email,invalid_value,must be a bare mailbox such as ada@example.com\r\n"
    )
    const again = await run(["contacts", "import", csv, "--update", ...here()])
    expect(again).toMatchObject({ code: 2, stdout: expect.stringMatching(/^0 created, 2 updated, 1 refused/) })
    const exported = await run(["contacts", "export", ...here()])
    expect(exported.stdout.split("\r\n").map((line) => line.split(",")[1])).toEqual([
      "email",
      "bob@example.org",
      "ada@example.org",
      undefined
    ])
    const wrong = await run(["contacts", "import", file("wrong.csv", "mail\nx@y.example\n"), ...here()])
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("columns") })
    const { contacts, total } = await runJson(["contacts", "list", ...here(), "--search", "BOB"])
    expect([total, contacts[0].firstName]).toEqual([1, "Bob"])
    const { id } = await runJson(["contacts", "add", "cat@example.org", ...here(), "--first-name", "Cat"])
    expect(await runJson(["contacts", "delete", id, ...here()])).toEqual({ id, deleted: true })
    expect(await run(["contacts", "delete", id, ...here()])).toMatchObject({
      code: 1,
      stderr: "mailkeep: No contact with this ID.\n"
    })
  })

  it("sends files as attachments, and refuses a file name that reverses the direction of text", async () => {
    const args = [
      "send",
      ...here(),
      "--from",
      "hello@example.com",
      "--to",
      "f@example.org",
      "--subject",
      "F",
      "--text",
      "x"
    ]
    const attached = ["--attach", file("a.csv", "a,b\n"), "--attach", file("b.pdf", "PDF")]
    expect(await runJson([...args, ...attached])).toMatchObject({ totalQueued: 1 })
    expect(await run([...args, "--attach", file("a\u202eb.pdf", "")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("attachments[0].filename")
    })
  })

  it("creates a template, publishes it and sends it", async () => {
    const html = file("a.html", "<b>{{order}}</b>")
    const { id } = await runJson([
      "templates",
      "create",
      "Receipt",
      ...here(),
      "--alias",
      "receipt",
      "--subject",
      "Order {{order}}",
      "--html-file",
      html,
      "--var",
      "order:string!"
    ])
    expect(await runJson(["templates", "publish", id, ...here()])).toMatchObject({
      status: "published",
      publishedVersion: 1
    })
    const bySend = ["send", ...here(), "--from", "hello@example.com", "--to", "t@example.org", "--template", id]
    expect((await run(bySend)).stderr).toContain("is required by the template")
    expect(await runJson([...bySend, "--var", "order=A17"])).toMatchObject({ totalQueued: 1 })
    expect((await run([...bySend, "--var", "order"])).stderr).toContain(
      'Expected name=value, such as order=A17, not "order"'
    )
    expect((await runJson(["templates", "list", ...here(), "--search", "recei"])).templates).toMatchObject([
      { id, alias: "receipt" }
    ])
    expect(await runJson(["templates", "archive", "receipt", ...here()])).toEqual({ id, archived: true })
  })

  it("refuses a variable of a template with more than a name and a type", async () => {
    const text = file("required.txt", "{{order}}")
    const template = ["templates", "create", "Required", ...here(), "--subject", "Order", "--text-file", text]
    expect(await run([...template, "--var", "order:string:required"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("variables[0].type")
    })
  })

  it("gives each variable of a send the type that the template declares", async () => {
    const text = file("typed.txt", "{{order}} {{amount}} {{#express}}express{{/express}}")
    const variables = ["order:string", "amount:number", "express:boolean"].flatMap((one) => ["--var", one])
    const about = ["--alias", "typed", "--subject", "Order {{order}} for {{amount}}", "--text-file", text]
    await runJson(["templates", "create", "Typed", ...here(), ...about, ...variables])
    await runJson(["templates", "publish", "typed", ...here()])
    const bySend = [
      "send",
      ...here(),
      "--from",
      "hello@example.com",
      "--to",
      "typed@example.org",
      "--template",
      "typed"
    ]
    const given = (order: string, amount: string, express: string) =>
      [`order=${order}`, `amount=${amount}`, `express=${express}`].flatMap((one) => ["--var", one])
    await runJson([...bySend, ...given("007", "12.5", "true")])
    await runJson([...bySend, ...given("true", "0", "false")])
    const { deliveries } = await runJson(["logs", ...here(), "--recipient", "typed@example.org"])
    expect(deliveries.map(({ subject }: { readonly subject: string }) => subject)).toEqual([
      "Order true for 0",
      "Order 007 for 12.5"
    ])
    const refused = async (...values: Parameters<typeof given>) => (await run([...bySend, ...given(...values)])).stderr
    expect(await refused("1", "many", "true")).toContain("templateVariables.amount must be a number")
    expect(await refused("1", "1", "yes")).toContain("templateVariables.express must be a boolean")
    expect((await run([...bySend, "--template", "unknown", ...given("1", "1", "true")])).code).toBe(1)
  })

  it("refuses a message with a body as text and as a file", async () => {
    const file = join(folder, "body.txt")
    writeFileSync(file, "From the file.")
    const message = ["send", ...here(), "--from", "hello@example.com", "--to", "t@example.org", "--subject", "s"]
    for (const body of ["text", "html"])
      expect(await run([...message, `--${body}`, "Inline.", `--${body}-file`, file])).toEqual({
        code: 1,
        stdout: "",
        stderr: `mailkeep: give either --${body} or --${body}-file\n`
      })
  })

  it("says which file of a message or of a template cannot be read", async () => {
    const absent = join(folder, "absent.txt")
    const message = ["send", ...here(), "--from", "hello@example.com", "--to", "t@example.org", "--subject", "s"]
    for (const args of [
      [...message, "--text-file", absent],
      [...message, "--html-file", absent],
      [...message, "--text", "t", "--attach", absent],
      ["templates", "create", "Absent", ...here(), "--text-file", absent]
    ])
      expect(await run(args)).toEqual({
        code: 1,
        stdout: "",
        stderr: `mailkeep: cannot read ${absent}: no such file or directory\n`
      })
  })

  it("suppresses an address, lists it and removes its suppression", async () => {
    expect(await runJson(["suppressions", "add", "Gone@example.org", ...here()])).toMatchObject({
      email: "gone@example.org",
      reason: "manual"
    })
    expect((await runJson(["suppressions", "list", ...here(), "--search", "gone"])).suppressions).toHaveLength(1)
    expect(await runJson(["suppressions", "remove", "gone@example.org", ...here()])).toMatchObject({ removed: true })
    expect((await run(["suppressions", "remove", "gone@example.org", ...here()])).code).toBe(1)
  })

  it("delivers events to a webhook, sends a test at once, and replays an event", async () => {
    const got: Array<string> = []
    let status = 204
    const endpoint = createServer((request, response) => {
      let text = ""
      request
        .on("data", (chunk) => (text += String(chunk)))
        .on("end", () => {
          got.push(JSON.parse(text).type)
          response.writeHead(status).end()
        })
    })
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
    const loopback = "--allow-loopback-webhooks"
    expect((await run(["webhooks", "create", url, ...here()])).stderr).toContain("must be https")
    const made = await runJson(["webhooks", "create", url, ...here(), loopback, "--event", "contact.created"])
    expect(made).toMatchObject({ status: "enabled", secret: expect.stringMatching(/^whsec_/) })
    expect(await runJson(["webhooks", "test", made.id, ...here(), loopback])).toEqual({
      delivered: true,
      statusCode: 204,
      error: null
    })
    status = 500
    const refusedTest = await run(["webhooks", "test", made.id, ...here(), loopback, "--json"])
    expect([refusedTest.code, JSON.parse(refusedTest.stdout)]).toEqual([
      1,
      { delivered: false, statusCode: 500, error: null }
    ])
    status = 204
    await runJson(["contacts", "add", "hooked@example.org", ...here()])
    await expect.poll(() => got).toEqual(["webhook.test", "webhook.test", "contact.created"])
    const pushed = async () => (await runJson(["webhooks", "deliveries", made.id, ...here()])).deliveries
    await expect.poll(pushed).toMatchObject([{ status: "delivered", lastStatusCode: 204 }])
    await runJson(["webhooks", "replay", made.id, (await pushed())[0].id, ...here()])
    await expect.poll(() => got).toHaveLength(3)
    expect((await runJson(["webhooks", "rotate-secret", made.id, ...here()])).secret).not.toBe(made.secret)
    const { webhooks } = await runJson(["webhooks", "list", ...here()])
    expect(JSON.stringify(webhooks)).not.toContain("secret")
    expect(await runJson(["webhooks", "delete", made.id, ...here()])).toMatchObject({ deleted: true })
    endpoint.close()
  })

  it("keeps the settings of a project, and shows the DNS records of a domain to publish", async () => {
    expect(
      await runJson(["projects", "set", "prj_x", "--data", join(folder, "data"), "--on-ambiguous", "fail"])
    ).toMatchObject({ id: "prj_x", onAmbiguous: "fail" })
    expect((await runJson(["projects", "list", "--data", join(folder, "data")])).projects).toMatchObject([
      { id: "prj_x", onAmbiguous: "fail" }
    ])
    const switched = await run(["projects", "set", "prj_x", "--data", join(folder, "data"), "--list-unsubscribe", "on"])
    expect(switched.stdout).toMatch(/ON AMBIGUOUS +LIST UNSUBSCRIBE\nprj_x +fail +on\n/)
    const domain = await runJson(["domains", "add", "shop.example", ...here(), "--mail-host", "mx.shop.example"])
    expect(domain).toMatchObject({
      status: "pending",
      records: [{ purpose: "dkim" }, { value: "v=spf1 a:mx.shop.example ~all" }, {}, { type: "MX" }]
    })
    expect(JSON.stringify(domain)).not.toContain("rivate")
    expect(await runJson(["domains", "verify", domain.id, ...here(), "--dns", "127.0.0.1:1"])).toMatchObject({
      status: "pending"
    })
    expect(await runJson(["domains", "remove", "Shop.example", ...here()])).toEqual({ id: domain.id, removed: true })
  })

  it("names the mail host in the DNS records that the first check of a domain verified without DNS makes", async () => {
    const { id, records } = await runJson(["domains", "add", "own.example", ...here(), "--verified"])
    expect(records).toEqual([])
    const verify = ["domains", "verify", id, ...here(), "--dns", "127.0.0.1:1", "--mail-host", "mx.own.example"]
    expect(await runJson(verify)).toMatchObject({
      status: "verified",
      records: [{ purpose: "dkim" }, { value: "v=spf1 a:mx.own.example ~all" }, {}, { value: "mx.own.example" }]
    })
  })

  it("finds a domain by its name in every form that domains add takes", async () => {
    for (const name of ["b\u00fccher.example", "B\u00dcCHER.example", "xn--bcher-kva.example"]) {
      const { id } = await runJson(["domains", "add", "b\u00fccher.example", ...here()])
      expect(await runJson(["domains", "remove", name, ...here()])).toEqual({ id, removed: true })
    }
  })

  it("prints the usage in the help of the command and of its subcommands", async () => {
    for (const args of [[], ["contacts"], ["contacts", "import"], ["webhooks"], ["send"]]) {
      const { code, stdout } = await run([...args, "--help"])
      expect(code).toBe(0)
      expect(stdout).toMatch(/USAGE[\s\S]*mailkeep/)
    }
  })
})
