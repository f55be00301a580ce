/**
 * Faults of a relay, and a hand-off to a relay that has one.
 */
import { expect } from "vitest"
import type { SmtpOptions } from "../src/index.ts"
import { withRelay } from "./handOffHarness.ts"
import type { RelaySetup } from "./ScriptedRelay.ts"
import type { Act, Step } from "./RelayDialogue.ts"

/** What the relay does, how the hand-off ends, and how often it ran `beforeFinalize`. */
export interface Row {
  readonly fault: string
  readonly relay: RelaySetup
  readonly options?: Partial<SmtpOptions>
  readonly ended: string | RegExp
  readonly finalized?: 0 | 1
}

/** The relay does this once, at the first session that comes to the step. */
const once = (step: Step, act: Act): NonNullable<RelaySetup["act"]> => {
  let isDone = false
  return (at) => {
    if (at !== step || isDone) return undefined
    isDone = true
    return act
  }
}

export const at = (step: Step, act: Act, keywords: ReadonlyArray<string> = []): RelaySetup => ({
  act: once(step, act),
  keywords
})

export const closed = "Unavailable: The relay closed the connection."
export const broken = "Unavailable: The connection to the relay failed (ECONNRESET)."
export const notSmtp = "Unavailable: The relay sent an answer that does not follow SMTP."
export const silent = "Unavailable: The relay did not answer in time."
export const tooEarly = "Unavailable: The relay answered before the message was complete."
export const accepted = "Accepted at endOfData: 250 2.0.0 Queued"

export const quick = { timeouts: { commandMillis: 300 } }

export const bytes = (text: string) => [...text].map((character) => character)

/** Hands a message over to the relay of the row, and then another one over the same transport. */
export const endsAsExpected = ({ relay, options = {}, ended, finalized = 0 }: Row): Promise<void> =>
  withRelay(relay, options, async (bench) => {
    expect(await bench.run()).toEqual({
      ended: typeof ended === "string" ? ended : expect.stringMatching(ended),
      finalized
    })
    const again = await bench.run()
    expect(again.ended.split(" at ")[0]).toMatch(/^(?:Accepted|Unavailable|Refused)/)
    if (relay.act !== undefined && bench.relay.openSessions > 0) expect(bench.relay.openMax).toBeLessThanOrEqual(1)
  })
