/**
 * The commands for templates, run beside a server.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run, runJson } from "./commandLine.ts"
import type { RecordServer } from "./recordServer.ts"
import { openRecordServer } from "./recordServer.ts"

let server: RecordServer
beforeAll(async () => {
  server = await openRecordServer()
})
afterAll(() => server.close())

describe("the commands for records beside a running server", () => {
  it("creates a template, publishes it and sends it", async () => {
    const html = server.file("a.html", "<b>{{order}}</b>")
    const { id } = await runJson([
      "templates",
      "create",
      "Receipt",
      ...server.here,
      "--alias",
      "receipt",
      "--subject",
      "Order {{order}}",
      "--html-file",
      html,
      "--var",
      "order:string!"
    ])
    expect(await runJson(["templates", "publish", id, ...server.here])).toMatchObject({
      status: "published",
      publishedVersion: 1
    })
    const bySend = ["send", ...server.here, "--from", "hello@example.com", "--to", "t@example.org", "--template", id]
    expect((await run(bySend)).stderr).toContain("is required by the template")
    expect(await runJson([...bySend, "--var", "order=A17"])).toMatchObject({ totalQueued: 1 })
    expect((await run([...bySend, "--var", "order"])).stderr).toContain(
      'Expected name=value, such as order=A17, not "order"'
    )
    expect((await runJson(["templates", "list", ...server.here, "--search", "recei"])).templates).toMatchObject([
      { id, alias: "receipt" }
    ])
    expect(await runJson(["templates", "archive", "receipt", ...server.here])).toEqual({ id, archived: true })
  })

  it("refuses a variable of a template with more than a name and a type", async () => {
    const text = server.file("required.txt", "{{order}}")
    const template = ["templates", "create", "Required", ...server.here, "--subject", "Order", "--text-file", text]
    expect(await run([...template, "--var", "order:string:required"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("variables[0].type")
    })
  })

  it("gives each variable of a send the type that the template declares", async () => {
    const text = server.file("typed.txt", "{{order}} {{amount}} {{#express}}express{{/express}}")
    const variables = ["order:string", "amount:number", "express:boolean"].flatMap((one) => ["--var", one])
    const about = ["--alias", "typed", "--subject", "Order {{order}} for {{amount}}", "--text-file", text]
    await runJson(["templates", "create", "Typed", ...server.here, ...about, ...variables])
    await runJson(["templates", "publish", "typed", ...server.here])
    const bySend = [
      "send",
      ...server.here,
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
    const { deliveries } = await runJson(["logs", ...server.here, "--recipient", "typed@example.org"])
    expect(deliveries.map(({ subject }: { readonly subject: string }) => subject)).toEqual([
      "Order true for 0",
      "Order 007 for 12.5"
    ])
    const refused = async (...values: Parameters<typeof given>) => (await run([...bySend, ...given(...values)])).stderr
    expect(await refused("1", "many", "true")).toContain("templateVariables.amount must be a number")
    expect(await refused("1", "1", "yes")).toContain("templateVariables.express must be a boolean")
    expect((await run([...bySend, "--template", "unknown", ...given("1", "1", "true")])).code).toBe(1)
  })
})
