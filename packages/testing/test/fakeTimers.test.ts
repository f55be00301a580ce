/**
 * A product's test may fake every timer of the process. No store may hang then.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory, openMail, sqlite, stub } from "mailkeep"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"

const temporaryFile = () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-timers-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "mail.db")
}

const stores = [
  { name: "memory", make: memory },
  { name: "sqlite", make: () => sqlite(temporaryFile()) }
]

afterEach(() => void vi.useRealTimers())

describe.each(stores)("a mail over $name while all timers are faked", ({ make }) => {
  it("opens, accepts, hands over and closes", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
    const transport = stub()
    const mail = await openMail({ store: make(), transport, domains: ["acme.example"], background: false })
    await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
    await mail.tick()
    expect(transport.captured().map(({ message }) => message.subject)).toStrictEqual(["Welcome"])
    await mail.close()
  })

  it("works when the timers are faked after the opening", async () => {
    const transport = stub()
    const mail = await openMail({ store: make(), transport, domains: ["acme.example"], background: false })
    vi.useFakeTimers()
    const sends = Array.from({ length: 50 }, (_, n) =>
      mail.send({ from: "hi@acme.example", to: `u${n}@example.org`, subject: "Welcome", text: "Hello." })
    )
    expect(new Set((await Promise.all(sends)).map(({ messageId }) => messageId)).size).toBe(50)
    await mail.tick()
    await mail.close()
  })
})
