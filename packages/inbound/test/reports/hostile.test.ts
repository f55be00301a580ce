import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { afterAll, describe, expect, it } from "vitest"
import type { MailReports } from "../../src/reports/MailReport.ts"
import { hostileMails } from "./hostileMail.ts"
import { checkBounds } from "./reportBounds.ts"

interface Measured {
  /** Processor time of the thread, which a busy machine does not change much. */
  readonly millis: number
  readonly bytes: number
  readonly read: MailReports
}

/** On an idle core every message takes less than 0.1 seconds, because a listener reads it between other work of the process. */
const millisMax = 500

/** The message itself takes 10 to 30 MiB while it is made; the reader gets the rest. A thread that needs more ends with an error, and the next message gets another. */
const heapMebibytesMax = 96

const startThread = (): Worker => {
  const thread = new Worker(new URL("./hostileWorker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytesMax }
  })
  thread.once("error", () => (running = undefined))
  return thread
}

let running: Worker | undefined
afterAll(() => running?.terminate())

const measured = async (name: string): Promise<Measured> => {
  running ??= startThread()
  running.postMessage(name)
  const [message] = await once(running, "message")
  return message
}

describe("readReports, for 10 MiB that are hostile", () => {
  it.each(Object.keys(hostileMails))("reads %s within the limits of time and heap", async (name) => {
    const { millis, bytes, read } = await measured(name)
    expect(bytes).toBeGreaterThan(9 * 1024 * 1024)
    expect(millis).toBeLessThan(millisMax)
    checkBounds(read)
  })
})
