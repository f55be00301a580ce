/**
 * Reads the logs of the honest projects after the attacks. If the server has ended or does not answer, starts a new one on its files.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Address } from "./Attack.ts"
import type { Prepared } from "./preparation.ts"
import type { TargetServer } from "./targetServer.ts"
import { startServer } from "./targetServer.ts"

interface LogPage {
  readonly data: {
    readonly items: ReadonlyArray<{ readonly id: string; readonly status: string }>
    readonly nextCursor: string | null
  }
}

const answerMillisMax = 60_000

/** The status of each delivery in the logs of the honest projects since the given time. */
const readLogs = async ({ host, port }: Address, { honestKeys }: Prepared, since: number) => {
  const log = new Map<string, string>()
  for (const apiKey of Object.values(honestKeys)) {
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: "100", startDate: new Date(since).toISOString() })
      if (cursor !== null) query.set("cursor", cursor)
      const response = await fetch(`http://${host}:${port}/api/v1/emails/logs?${query}`, {
        headers: { authorization: `Bearer ${apiKey}` },
        signal: AbortSignal.timeout(answerMillisMax)
      })
      if (!response.ok) throw new Error(`The log request was answered with ${response.status}.`)
      const { data } = (await response.json()) as LogPage
      for (const { id, status } of data.items) log.set(id, status)
      cursor = data.nextCursor
    } while (cursor !== null)
  }
  return log
}

const pending = new Set(["queued", "sending", "scheduled"])
const readsMax = 300

/** Reads the logs until no delivery is pending, at most 300 times. */
const readFinalLogs = async (address: Address, prepared: Prepared, since: number) => {
  for (let read = 1; ; read++) {
    const log = await readLogs(address, prepared, since)
    if (read === readsMax || [...log.values()].every((status) => !pending.has(status))) return log
    await wait(1000)
  }
}

/** Returns the log, and how the server ended before it was stopped; `null` if it still answers. */
export const finalLog = async (server: TargetServer, prepared: Prepared, since: number) => {
  const earlyEnding = server.ending()
  if (earlyEnding === undefined) {
    const log = await readFinalLogs(server.address, prepared, since).catch(() => undefined)
    if (log !== undefined) return { log, ending: null }
  }
  const ending = server.ending() ?? "the server does not answer honest clients"
  await server.stop()
  const successor = await startServer(prepared.command, prepared.folder)
  try {
    return { log: await readFinalLogs(successor.address, prepared, since), ending }
  } finally {
    await successor.stop()
  }
}
