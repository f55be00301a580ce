/**
 * What a test mail refuses, so that a mistake in a test does not pass as something else.
 */
import { describe, expect, it } from "vitest"
import { openTest, welcome } from "./openTest.ts"

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000

describe("advance", () => {
  it.each([
    ["a misspelled unit beside a unit", { hours: 1, minute: 30 }],
    ["months, which have no fixed length", { days: 1, months: 1 }],
    ["a unit that is text", { days: "1" }],
    ["a text with a unit of months", "1 month"]
  ])("refuses %s instead of a part of it", async (_, duration) => {
    const mail = openTest({ now: start })
    await expect(mail.advance(duration as never)).rejects.toThrow(RangeError)
    expect(mail.now().getTime()).toBe(start)
  })

  it("reads an object that shows its units without own fields, and refuses its months", async () => {
    const mail = openTest({ now: start })
    const temporal = (units: object) =>
      Object.create({ years: 0, months: 0, weeks: 0, days: 0, hours: 0, ...units }) as number
    await mail.advance(temporal({ hours: 2 }))
    expect(mail.now().getTime()).toBe(start + 2 * hour)
    await expect(mail.advance(temporal({ months: 1 }))).rejects.toThrow(RangeError)
  })

  it("refuses a time that no date can show, and keeps the clock", async () => {
    const mail = openTest({ now: start })
    await expect(mail.advance({ days: 1e9 })).rejects.toThrow(RangeError)
    expect(mail.now().getTime()).toBe(start)
    await mail.send(welcome)
    expect(mail.captured()).toHaveLength(1)
  })
})

describe("script", () => {
  it.each<[string, unknown, unknown]>([
    ["no address", undefined, ["refused"]],
    ["a list of addresses", ["ada@example.org"], ["refused"]],
    ["an outcome without a list", "ada@example.org", "refused"],
    ["an unknown outcome", "ada@example.org", ["lost"]],
    ["nothing as an outcome", "ada@example.org", [null]],
    ["a reply of an outcome without a reply", "ada@example.org", [{ outcome: "delivered", text: "250 OK" }]],
    ["a field that no outcome has", "ada@example.org", [{ outcome: "refused", smtpcode: 552 }]],
    ["a reply code of the opposite, which would bounce", "ada@example.org", [{ outcome: "deferred", smtpCode: 550 }]],
    [
      "a reply code of the opposite, which would be retried",
      "ada@example.org",
      [{ outcome: "refused", smtpCode: 450 }]
    ],
    ["a reply code that is text", "ada@example.org", [{ outcome: "refused", smtpCode: "552" }]]
  ])("refuses a script with %s", (_, to, outcomes) => {
    expect(() => openTest().script(to as string, outcomes as ["refused"])).toThrow(TypeError)
  })
})

describe("waitFor", () => {
  it.each([
    ["no number", { timeout: "50" }],
    ["not a number", { timeout: Number.NaN }],
    ["a negative time", { timeout: -1 }],
    ["an endless time, which the timer would end at once", { timeout: Number.POSITIVE_INFINITY }],
    ["more than a timer can wait, which would end at once", { timeout: 2 ** 31 }],
    ["a part of a mail", { count: 0.5 }],
    ["no mail", { count: 0 }]
  ])("refuses %s", async (_, options) => {
    await expect(openTest().waitFor("ada@example.org", options as never)).rejects.toThrow(RangeError)
  })
})

describe("a report", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a pattern", /^ada@/],
    ["a filter", { to: "ada@example.org" }]
  ])("refuses %s in the place of an address or an id", async (_, target) => {
    const mail = openTest()
    await mail.send(welcome)
    const message = "A report needs the address of a mail or the id of a delivery."
    await expect(mail.bounce(target as string)).rejects.toThrow(new TypeError(message))
    await expect(mail.complain(target as string)).rejects.toThrow(new TypeError(message))
    await expect(mail.delivered(target as string)).rejects.toThrow(new TypeError(message))
  })
})
