/**
 * The commands for the records of a project, run beside a server as a person or a script does.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Serving } from "./commandLine.ts"
import { run, runIntoClosedPipe, runJson, serve } from "./commandLine.ts"
import type { RecordServer } from "./recordServer.ts"
import { openRecordServer } from "./recordServer.ts"

let server: RecordServer
beforeAll(async () => {
  server = await openRecordServer()
})
afterAll(() => server.close())

describe("the commands for records beside a running server", () => {
  it("lists all suppressed addresses, or says that there are more than the limit", async () => {
    const project = ["--data", join(server.folder, "other"), "--project", "prj_suppressions"]
    const addresses = Array.from({ length: 130 }, (_, n) => `s${n}@example.org`)
    const csv = server.file(
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

  it("warns when a project without mail, API keys or domains does not exist", async () => {
    const folder = ["--data", join(server.folder, "other")]
    const warning = /WARN.*The project does not exist\. `mailkeep projects list` shows all projects\..*prj_typo/
    for (const read of [["logs"], ["keys", "list"], ["domains", "list"]]) {
      const { code, stderr } = await run([...read, ...folder, "--project", "prj_typo", "--json"])
      expect([code, stderr]).toEqual([0, expect.stringMatching(warning)])
    }
    expect((await run(["projects", "usage", "prj_typo", ...folder])).stderr).toMatch(warning)
    await run(["projects", "set", "prj_new", ...folder])
    expect((await run(["logs", ...folder, "--project", "prj_new"])).stderr).toBe("")
    expect((await run(["projects", "usage", "prj_new", ...folder])).stderr).toBe("")
  })

  it("ends logs --follow when its pipe is closed", async () => {
    const project = ["--data", join(server.folder, "other"), "--project", "prj_pipe"]
    await runJson(["domains", "add", "pipe.example", ...project, "--verified"])
    const message = ["--from", "a@pipe.example", "--to", "b@example.org", "--subject", "s", "--text", "t"]
    await runJson(["send", ...project, ...message])
    expect(await runIntoClosedPipe(["logs", "--follow", ...project])).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("sends a message, follows it and lists it", async () => {
    const sent = await server.send("ada@example.org", "Hi", "Hi")
    expect(sent).toMatchObject({ messageId: expect.stringMatching(/^msg_/), totalQueued: 1, scheduledAt: null })
    const delivered = async () =>
      (await runJson(["logs", ...server.here, "--recipient", "ADA@example.org", "--status", "delivered"])).deliveries
    await expect.poll(delivered).toMatchObject([{ id: sent.deliveryIds[0], subject: "Hi" }])
    const people = await run(["logs", ...server.here])
    expect(people.stdout).toMatch(/CREATED\s+STATUS\s+ID\s+RECIPIENT\s+SUBJECT\n.*delivered.*ada@example\.org\s+Hi/)
    const refused = await run([
      "send",
      ...server.here,
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
    const follower = await serve(["logs", "--follow", ...server.here]).catch((failure: unknown) => failure as Error)
    expect(follower).not.toBeInstanceOf(Error)
    await server.send("eve@example.org", "Follow", "x")
    const lines = () =>
      (follower as Serving).output.stdout
        .split("\n")
        .filter((line) => line.includes("eve@example.org"))
        .map((line) => JSON.parse(line).status)
    await expect.poll(lines).toContain("delivered")
    expect(await (follower as Serving).kill("SIGTERM")).toBe(0)
  })

  it("explains what happened to a delivery and what it waits for", async () => {
    const sent = await server.send("bob@example.org", "Why", "x")
    const [id] = sent.deliveryIds
    await expect.poll(async () => (await runJson(["explain", id, ...server.here])).status).toBe("delivered")
    const story = await runJson(["explain", id, ...server.here])
    expect(story).toMatchObject({ recipient: "bob@example.org", now: { waitsFor: "report", until: null } })
    expect(story.entries[0]).toMatchObject({
      kind: "accepted",
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
    })
    expect(story.entries.map(({ kind }: { readonly kind: string }) => kind)).toContain("attempt_ended")
    // An instant that was left as a number.
    expect(JSON.stringify(story)).not.toMatch(/:\d{13}\b/)
    expect((await run(["explain", id, ...server.here])).stdout).toMatch(
      /^del_\w+ to bob@example\.org: delivered\n\d{4}-.*accepted.*\nThe message is delivered\./s
    )
    const unknown = await run(["explain", "del_none", ...server.here])
    expect(unknown).toEqual({ code: 1, stdout: "", stderr: "mailkeep: No delivery with this ID.\n" })
  })

  it.each(["0", "-3"])("refuses the page %s of the contacts instead of another page", async (page) => {
    const { code, stdout, stderr } = await run(["contacts", "list", ...server.here, `--page=${page}`, "--json"])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Invalid value for flag --page: "${page}"`)])
    expect(stdout).not.toContain('"contacts"')
  })

  it("imports contacts from a file, reports each refused line, and exports the contacts", async () => {
    const csv = server.file("in.csv", "email,first_name\nada@example.org,Ada\nnobody,x\nbob@example.org,Bob\n")
    const refused = join(server.folder, "refused.csv")
    const first = await run(["contacts", "import", csv, ...server.here, "--json", "--refused", refused])
    expect(first.code).toBe(2)
    expect(JSON.parse(first.stdout)).toMatchObject({ created: 2, updated: 0, refused: 1 })
    expect(readFileSync(refused, "utf8")).toBe(
      "line,field,code,message\r\n3,email,invalid_value,must be a bare mailbox such as ada@example.com\r\n"
    )
    const again = await run(["contacts", "import", csv, "--update", ...server.here])
    expect(again).toMatchObject({ code: 2, stdout: expect.stringMatching(/^0 created, 2 updated, 1 refused/) })
    const exported = await run(["contacts", "export", ...server.here])
    expect(exported.stdout.split("\r\n").map((line) => line.split(",")[1])).toEqual([
      "email",
      "bob@example.org",
      "ada@example.org",
      undefined
    ])
    const wrong = await run(["contacts", "import", server.file("wrong.csv", "mail\nx@y.example\n"), ...server.here])
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("columns") })
    const { contacts, total } = await runJson(["contacts", "list", ...server.here, "--search", "BOB"])
    expect([total, contacts[0].firstName]).toEqual([1, "Bob"])
    const { id } = await runJson(["contacts", "add", "cat@example.org", ...server.here, "--first-name", "Cat"])
    expect(await runJson(["contacts", "delete", id, ...server.here])).toEqual({ id, deleted: true })
    expect(await run(["contacts", "delete", id, ...server.here])).toMatchObject({
      code: 1,
      stderr: "mailkeep: No contact with this ID.\n"
    })
  })

  it("sends files as attachments, and refuses a file name that reverses the direction of text", async () => {
    const args = [
      "send",
      ...server.here,
      "--from",
      "hello@example.com",
      "--to",
      "f@example.org",
      "--subject",
      "F",
      "--text",
      "x"
    ]
    const attached = ["--attach", server.file("a.csv", "a,b\n"), "--attach", server.file("b.pdf", "PDF")]
    expect(await runJson([...args, ...attached])).toMatchObject({ totalQueued: 1 })
    expect(await run([...args, "--attach", server.file("a\u202eb.pdf", "")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("attachments[0].filename")
    })
  })

  it("refuses a message with a body as text and as a file", async () => {
    const file = join(server.folder, "body.txt")
    writeFileSync(file, "From the file.")
    const message = ["send", ...server.here, "--from", "hello@example.com", "--to", "t@example.org", "--subject", "s"]
    for (const body of ["text", "html"])
      expect(await run([...message, `--${body}`, "Inline.", `--${body}-file`, file])).toEqual({
        code: 1,
        stdout: "",
        stderr: `mailkeep: give either --${body} or --${body}-file\n`
      })
  })

  it("says which file of a message or of a template cannot be read", async () => {
    const absent = join(server.folder, "absent.txt")
    const message = ["send", ...server.here, "--from", "hello@example.com", "--to", "t@example.org", "--subject", "s"]
    for (const args of [
      [...message, "--text-file", absent],
      [...message, "--html-file", absent],
      [...message, "--text", "t", "--attach", absent],
      ["templates", "create", "Absent", ...server.here, "--text-file", absent]
    ])
      expect(await run(args)).toEqual({
        code: 1,
        stdout: "",
        stderr: `mailkeep: cannot read ${absent}: no such file or directory\n`
      })
  })

  it("suppresses an address, lists it and removes its suppression", async () => {
    expect(await runJson(["suppressions", "add", "Gone@example.org", ...server.here])).toMatchObject({
      email: "gone@example.org",
      reason: "manual"
    })
    expect((await runJson(["suppressions", "list", ...server.here, "--search", "gone"])).suppressions).toHaveLength(1)
    expect(await runJson(["suppressions", "remove", "gone@example.org", ...server.here])).toMatchObject({
      removed: true
    })
    expect((await run(["suppressions", "remove", "gone@example.org", ...server.here])).code).toBe(1)
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
    expect((await run(["webhooks", "create", url, ...server.here])).stderr).toContain("must be https")
    const made = await runJson(["webhooks", "create", url, ...server.here, loopback, "--event", "contact.created"])
    expect(made).toMatchObject({ status: "enabled", secret: expect.stringMatching(/^whsec_/) })
    expect(await runJson(["webhooks", "test", made.id, ...server.here, loopback])).toEqual({
      delivered: true,
      statusCode: 204,
      error: null
    })
    status = 500
    const refusedTest = await run(["webhooks", "test", made.id, ...server.here, loopback, "--json"])
    expect([refusedTest.code, JSON.parse(refusedTest.stdout)]).toEqual([
      1,
      { delivered: false, statusCode: 500, error: null }
    ])
    status = 204
    await runJson(["contacts", "add", "hooked@example.org", ...server.here])
    await expect.poll(() => got).toEqual(["webhook.test", "webhook.test", "contact.created"])
    const pushed = async () => (await runJson(["webhooks", "deliveries", made.id, ...server.here])).deliveries
    await expect.poll(pushed).toMatchObject([{ status: "delivered", lastStatusCode: 204 }])
    await runJson(["webhooks", "replay", made.id, (await pushed())[0].id, ...server.here])
    await expect.poll(() => got).toHaveLength(3)
    expect((await runJson(["webhooks", "rotate-secret", made.id, ...server.here])).secret).not.toBe(made.secret)
    const { webhooks } = await runJson(["webhooks", "list", ...server.here])
    expect(JSON.stringify(webhooks)).not.toContain("secret")
    expect(await runJson(["webhooks", "delete", made.id, ...server.here])).toMatchObject({ deleted: true })
    endpoint.close()
  })

  it("prints the usage in the help of the command and of its subcommands", async () => {
    for (const args of [[], ["contacts"], ["contacts", "import"], ["webhooks"], ["send"]]) {
      const { code, stdout } = await run([...args, "--help"])
      expect(code).toBe(0)
      expect(stdout).toMatch(/USAGE[\s\S]*mailkeep/)
    }
  })
})
