/**
 * The log of the core in a product.
 */
import { setImmediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { LogEntry } from "../src/index.ts"
import { openMail, stub } from "../src/index.ts"
import { openQuiet, quiet, welcome } from "./testMail.ts"

/** The first DNS records with the default mail host make the core warn. */
const warn = (mail: Awaited<ReturnType<typeof openQuiet>>) => mail.domains.create({ domain: "later.example" })

describe("the log", () => {
  it("prints a warning as one readable line with console.warn by default", async () => {
    const print = vi.spyOn(console, "warn").mockImplementation(() => {})
    onTestFinished(() => print.mockRestore())
    await warn(await openQuiet())
    expect(print.mock.calls).toEqual([[expect.stringMatching(/^mailkeep: .*mailHost.*$/)]])
  })

  it("gives each entry to onLog, and prints nothing then", async () => {
    const print = vi.spyOn(console, "warn").mockImplementation(() => {})
    onTestFinished(() => print.mockRestore())
    const entries: Array<LogEntry> = []
    await warn(await openQuiet({ onLog: (entry) => entries.push(entry) }))
    expect(entries).toEqual([
      { level: "warn", message: expect.stringContaining("mailHost"), fields: {}, at: expect.any(Date) }
    ])
    expect(print.mock.calls).toEqual([])
  })

  it("ignores a function that throws", async () => {
    const mail = await openQuiet({
      onLog: () => {
        throw new Error("The log is full.")
      }
    })
    expect((await warn(mail)).status).toBe("pending")
  })

  it("ignores an async function that rejects", async () => {
    const rejected: Array<unknown> = []
    const note = (cause: unknown) => rejected.push(cause)
    process.on("unhandledRejection", note)
    onTestFinished(() => void process.off("unhandledRejection", note))
    const mail = await openQuiet({
      onLog: async () => {
        await Promise.resolve()
        throw new Error("The log service is away.")
      }
    })
    await warn(mail)
    await setImmediate()
    expect(rejected).toEqual([])
  })

  it("warns once when mail is accepted and nothing hands it over", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const entries: Array<LogEntry> = []
    const mail = await openMail(quiet({ transport: stub(), onLog: (entry) => entries.push(entry) }))
    await mail.send(welcome)
    await mail.send(welcome)
    await vi.advanceTimersByTimeAsync(120_000)
    await mail.send(welcome)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(entries).toEqual([expect.objectContaining({ level: "warn", fields: { queued: 2 } })])
    expect(entries[0]!.message).toContain("no dispatcher is running")
    vi.useRealTimers()
    await mail.close()
  })
})
