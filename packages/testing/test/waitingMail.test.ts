/**
 * What a test learns when its mail is missing because the clock of the mail is not far enough.
 */
import { afterEach, describe, expect, it, vi } from "vitest"
import type { TestMail } from "../src/index.ts"
import { mailMatchers } from "../src/matchers.ts"
import { openTest, welcome } from "./openTest.ts"

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const day = 24 * hour

/** The failure of a test that expects a mail. */
const failureOf = (mail: TestMail): string => {
  try {
    return `captured ${mail.last().subject}`
  } catch (error) {
    return (error as Error).message
  }
}

afterEach(() => void vi.useRealTimers())

describe("a failure about a missing mail", () => {
  it("says until when scheduled mail waits", async () => {
    const mail = openTest({ now: start })
    await mail.send({ ...welcome, scheduledAt: start + day + 412 })
    await mail.advance("1 day")
    expect(failureOf(mail)).toBe(
      "No mail matches any mail. No mail was handed over.\n" +
        "Mail waits until 2026-01-02T00:00:00.412Z. The clock of the mail shows 2026-01-02T00:00:00.000Z: move it with advance."
    )
    await mail.advance(412)
    expect(failureOf(mail)).toBe("captured Welcome")
  })

  it("says until when deferred mail waits", async () => {
    const mail = openTest({ now: start })
    mail.script("ada@example.org", ["deferred"])
    await mail.send(welcome)
    expect(failureOf(mail)).toMatch(/\nMail waits until 2026-01-01T00:0\d:[\d.]+Z\. /)
  })

  it("says so by the matcher, until the mail is canceled", async () => {
    const mail = openTest({ now: start })
    const message = () => mailMatchers.toHaveSent(mail).message()
    const { messageId } = await mail.send({ ...welcome, scheduledAt: start + hour })
    expect(message()).toContain("No mail was handed over.\nMail waits until 2026-01-01T01:00:00.000Z. ")
    await mail.cancel(messageId)
    expect(message()).toBe("Expected to have sent any mail.\nNo mail was handed over.")
  })

  it("says nothing about waiting mail when a mail was not expected, or when nothing waits", async () => {
    const mail = openTest({ now: start })
    await mail.send(welcome)
    await mail.send({ ...welcome, scheduledAt: start + hour })
    expect(mailMatchers.toHaveSent(mail).message()).not.toContain("waits")
    await mail.reset()
    expect(failureOf(mail)).toBe("No mail matches any mail. No mail was handed over.")
  })
})

describe("the beginning of the clock after a reset", () => {
  it("is the time of the process", async () => {
    vi.useFakeTimers({ now: start, toFake: ["Date"] })
    const mail = openTest()
    vi.setSystemTime(start + hour)
    await mail.reset()
    await mail.send({ ...welcome, scheduledAt: new Date(Date.now() + day) })
    await mail.advance("1 day")
    expect(failureOf(mail)).toBe("captured Welcome")
  })

  it("is the option now when the test gives one", async () => {
    const mail = openTest({ now: start })
    await mail.advance("1 hour")
    await mail.reset()
    expect(mail.now().getTime()).toBe(start)
  })
})
