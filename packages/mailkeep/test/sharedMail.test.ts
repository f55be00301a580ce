/**
 * One mail for each name in the process.
 */
import { existsSync } from "node:fs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { sharedMail, sqlite } from "../src/index.ts"
import { quiet, rejection, temporaryFile, welcome } from "./testMail.ts"

/** Loads the module as a bundler does after a change of the source. */
const reloaded = async (): Promise<typeof sharedMail> => {
  vi.resetModules()
  return (await import("../src/index.ts")).sharedMail
}

describe("sharedMail", () => {
  it("returns the same mail after the module was loaded again, and does not make options again", async () => {
    const options = vi.fn(() => quiet())
    const mail = sharedMail("reload", options)
    onTestFinished(mail.close)
    const again = await reloaded()
    expect(again).not.toBe(sharedMail)
    expect(again("reload", options)).toBe(mail)
    expect(options.mock.calls.length).toBe(1)
    await mail.send(welcome)
    expect((await again("reload", options).deliveries.list()).items.length).toBe(1)
  })

  it("opens no file when it is called, as in a build that imports the module", async () => {
    const file = temporaryFile()
    const mail = sharedMail("build", quiet({ store: sqlite(file) }))
    onTestFinished(mail.close)
    expect(existsSync(file)).toBe(false)
    expect((await mail.send(welcome)).totalQueued).toBe(1)
    expect(existsSync(file)).toBe(true)
  })

  it("keeps mails of different names apart", async () => {
    const [a, b] = [sharedMail("a", quiet()), sharedMail("b", quiet())]
    onTestFinished(async () => void (await Promise.all([a.close(), b.close()])))
    await a.send(welcome)
    expect((await b.deliveries.list()).items).toEqual([])
  })

  it("makes a new mail after close", async () => {
    const first = sharedMail("again", quiet())
    await first.close()
    const second = sharedMail("again", quiet())
    onTestFinished(second.close)
    expect(second).not.toBe(first)
    expect(await rejection(first.open())).toMatchObject({ reason: "closed" })
    expect((await second.send(welcome)).totalQueued).toBe(1)
  })
})
