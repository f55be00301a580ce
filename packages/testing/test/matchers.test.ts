/**
 * The matchers about mail, with vitest.
 */
import "@mailkeep/testing/vitest"
import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import type { MailFilter } from "../src/index.ts"
import { mailMatchers } from "../src/matchers.ts"
import { openTest, welcome } from "./openTest.ts"

const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return "passed"
}

const openWithWelcome = async () => {
  const mail = openTest()
  await mail.send({
    ...welcome,
    html: '<p>Hello.</p><a href="https://acme.example/confirm/1">Confirm</a>',
    headers: { "X-Campaign": "spring" },
    attachments: [{ filename: "terms.pdf", content: "x", contentType: "application/pdf" }]
  })
  return mail
}

const wrong: ReadonlyArray<readonly [string, unknown]> = [
  ["a number as the subject", { subject: 12 }],
  ["a list as the address", { to: ["ada@example.org"] }],
  ["null as the text", { text: null }],
  ["a text as the files", { attachments: "" }],
  ["a text as the header fields", { headers: "X-Campaign" }],
  ["false as a header field", { headers: { "x-campaign": false } }],
  ["a number", 5],
  ["an address", "ada@example.org"],
  ["null", null]
]

describe("a filter of another form", () => {
  it.each(wrong)("is refused by name: %s", async (_, filter) => {
    const mail = await openWithWelcome()
    expect(() => mailMatchers.toHaveSent(mail, filter as MailFilter)).toThrow(/must be (?:an? )/)
  })
})

const matching: ReadonlyArray<MailFilter> = [
  {},
  { to: "ADA@example.org" },
  { from: "hi@acme.example" },
  { from: "Acme <hi@acme.example>" },
  { subject: /^Wel/ },
  { text: "Hello" },
  { html: /<p>.*<\/p>/ },
  { link: "https://acme.example/confirm/1" },
  { headers: { "x-campaign": "spring", "Message-ID": true } },
  { attachments: ["terms.pdf"] },
  { attachments: [/\.pdf$/], to: undefined }
]

const others: ReadonlyArray<MailFilter> = [
  { to: "bob@example.org" },
  { to: "ada@example.or" },
  { from: "Acme" },
  { subject: "Wel" },
  { text: "Goodbye" },
  { html: /<b>/ },
  { link: "https://acme.example/" },
  { headers: { "x-campaign": "autumn" } },
  { headers: { "x-other": true } },
  { attachments: [] },
  { attachments: ["terms.pdf", "other.pdf"] }
]

describe("toHaveSent", () => {
  it.each(matching)("passes for %j", async (filter) => {
    expect(await openWithWelcome()).toHaveSent(filter)
  })

  it.each(others)("fails for %j", async (filter) => {
    const mail = await openWithWelcome()
    expect(mail).not.toHaveSent(filter)
    expect(messageOf(() => expect(mail).toHaveSent(filter))).toMatch(/^Expected to have sent/)
  })

  it("compares the number of sent mails that match with the given number", async () => {
    const mail = await openWithWelcome()
    await mail.send(welcome)
    expect(mail).toHaveSent({ subject: "Welcome" }, 2)
    expect(mail).not.toHaveSent({ subject: "Welcome" }, 1)
    expect(mail).toHaveSent({ subject: "Other" }, 0)
  })

  it("lists what was sent instead, with at most 200 characters of each text", async () => {
    const mail = openTest()
    await mail.send({ ...welcome, text: `Hello. ${"x".repeat(1000)}` })
    const message = messageOf(() => expect(mail).toHaveSent({ to: "bob@example.org", text: /Goodbye/ }))
    expect(message).toContain('Expected to have sent { to: "bob@example.org", text: /Goodbye/ }.')
    expect(message).toContain('to ada@example.org, subject "Welcome"')
    expect(message).toContain("… (1007 characters)")
    expect(message).not.toContain("x".repeat(201))
  })

  it("lists at most 10 mails, the newest first", async () => {
    const mail = openTest()
    for (let n = 1; n <= 12; n++) await mail.send({ ...welcome, subject: `Mail ${n}` })
    const message = messageOf(() => expect(mail).toHaveSent({ subject: "Other" }))
    expect(message).toContain("Mail 12")
    expect(message).not.toContain('"Mail 2"')
    expect(message).toContain("and 2 more")
  })

  it("says that nothing was sent, and shows what should not have been sent", async () => {
    const mail = openTest()
    expect(messageOf(() => expect(mail).toHaveSent())).toContain("No mail was handed over.")
    await mail.send(welcome)
    expect(messageOf(() => expect(mail).not.toHaveSent({ to: "ada@example.org" }))).toContain(
      'Expected not to have sent { to: "ada@example.org" }'
    )
  })

  it("refuses a value that is no test mail, and a field that no mail has", () => {
    expect(() => mailMatchers.toHaveSent({})).toThrow(TypeError)
    expect(() => mailMatchers.toHaveSent({ captured: () => [{}] }, { body: "x" } as MailFilter)).toThrow(/no "body"/)
  })

  it.each([-1, 1.5, Number.NaN, "1", null])("refuses %j as the number of mails", (times) => {
    const mail = openTest()
    expect(() => expect(mail).toHaveSent({}, times as number)).toThrow("times must be a whole number from 0.")
    expect(() => expect(mail).not.toHaveSent({}, times as number)).toThrow("times must be a whole number from 0.")
  })

  it("refuses a field that no mail has also when no mail was handed over", () => {
    const filter = { recipient: "ada@example.org" } as MailFilter
    const mail = openTest()
    expect(() => expect(mail).toHaveSent(filter)).toThrow(/no "recipient"\. It has to, from, subject/)
    expect(() => expect(mail).not.toHaveSent(filter)).toThrow(/no "recipient"/)
    expect(() => mail.last(filter)).toThrow(/no "recipient"/)
    expect(() => mail.captured(filter)).toThrow(/no "recipient"/)
  })

  it("lets the compiler refuse a field that no mail has", async () => {
    const mail = await openWithWelcome()
    // @ts-expect-error -- A mail has no body.
    expect(() => expect(mail).toHaveSent({ body: "Hello" })).toThrow(/no "body"/)
  })
})

describe("@mailkeep/testing/jest", () => {
  const run = (code: string) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: import.meta.dirname, encoding: "utf8" })

  it("extends the global expect", () => {
    const code = `globalThis.expect = { extend: (matchers) => console.log(Object.keys(matchers).join()) }
      await import("@mailkeep/testing/jest")`
    expect(run(code).trim()).toBe("toHaveSent")
  })

  it("refuses to load without a global expect", () => {
    const code = 'await import("@mailkeep/testing/jest").catch((cause) => console.log(cause.message))'
    expect(run(code)).toContain("setupFilesAfterEnv")
  })
})
