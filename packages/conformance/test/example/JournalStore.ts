/**
 * Makes the store of `MapStore.ts` durable: a journal with a line of JSON for each write, synced before the write is
 * acknowledged.
 * The next state is a function of the present state and the request, so replaying all requests restores the state.
 * It supports one process, and the journal is never compacted, so use it as an example and not in production.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import type { Change, Claim, EventDeliveryClaim, MessageSweep, Sweep, PromiseStore } from "@mailkeep/core/adapter"
import { storeFromPromises, StoreUnavailable } from "@mailkeep/core/adapter"
import { read } from "./mapAnswers.ts"
import type { State } from "./mapState.ts"
import { claim, claimEventDeliveries, commit, sweep, sweepMessages } from "./MapStore.ts"

type Line =
  | { readonly commit: ReadonlyArray<Change> }
  | { readonly claim: Claim }
  | { readonly claimEventDeliveries: EventDeliveryClaim }
  | { readonly sweep: Sweep }
  | { readonly sweepMessages: MessageSweep }

const redone = (state: State, line: Line): State =>
  "commit" in line
    ? commit(state, line.commit).state
    : "claim" in line
      ? claim(state, line.claim).state
      : "claimEventDeliveries" in line
        ? claimEventDeliveries(state, line.claimEventDeliveries).state
        : "sweep" in line
          ? sweep(state, line.sweep).state
          : sweepMessages(state, line.sweepMessages).state

/** The chunks of a content are bytes, which JSON does not have. */
const toJson = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value

const fromJson = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "base64" in value
    ? new Uint8Array(Buffer.from(String(value.base64), "base64"))
    : value

const openJournal = async (filename: string): Promise<PromiseStore> => {
  const isNew = !existsSync(filename)
  const text = isNew ? "" : readFileSync(filename, "utf8")
  // A crash may have cut the last line. Its write was not acknowledged.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const file = openSync(filename, isNew ? "w+" : "r+")
  let length = Buffer.byteLength(whole)
  ftruncateSync(file, length)
  let state = whole
    .split("\n")
    .slice(0, -1)
    .reduce((state: State, line) => redone(state, JSON.parse(line, fromJson) as Line), new Map())
  let closed = false

  const stillOpen = (): void => {
    if (closed) throw new StoreUnavailable({ reason: "closed" })
  }

  /** Replaces the state only after the line is on the disk. */
  const keep = (next: State, line: Line): void => {
    const bytes = Buffer.from(`${JSON.stringify(line, toJson)}\n`)
    try {
      writeSync(file, bytes, 0, bytes.length, length)
      fsyncSync(file)
    } catch (cause) {
      throw new StoreUnavailable({ reason: "full", cause })
    }
    length += bytes.length
    state = next
  }

  return {
    capabilities: { durable: true, multiProcess: false },
    commit: async (changes) => {
      stillOpen()
      const next = commit(state, changes)
      if (next.refused === undefined) keep(next.state, { commit: changes })
      return next.refused
    },
    claim: async (request) => {
      stillOpen()
      const next = claim(state, request)
      if (next.rows.length > 0) keep(next.state, { claim: request })
      return next.rows
    },
    claimEventDeliveries: async (request) => {
      stillOpen()
      const next = claimEventDeliveries(state, request)
      if (next.rows.length > 0) keep(next.state, { claimEventDeliveries: request })
      return next.rows
    },
    sweep: async (request) => {
      stillOpen()
      const next = sweep(state, request)
      if (next.count > 0) keep(next.state, { sweep: request })
      return next.count
    },
    sweepMessages: async (request) => {
      stillOpen()
      const next = sweepMessages(state, request)
      if (next.swept.deleted > 0) keep(next.state, { sweepMessages: request })
      return next.swept
    },
    read: async (queries) => {
      stillOpen()
      return read(state, queries)
    },
    close: async () => {
      closed = true
      closeSync(file)
    }
  }
}

export const layer = (filename: string) => storeFromPromises(() => openJournal(filename))
