/**
 * The concurrency limit of the relay as a state, and the pure functions that compute the next one: how many hand-offs may run at once, by what the
 * relay answered. A relay that asks to slow down gets fewer. One that cannot be reached gets a single try after a pause. The other deliveries then
 * wait in the queue and use no attempts. `RelayLimiter` keeps the state of one process.
 * Source: decision 0041; RFC 5321 §3.8 (421) and §4.5.4.1.
 */
import type { HandOffResult } from "../../decide/delivery/handOffResult.ts"
import type { HealthFault, HealthOfRelay } from "../../decide/observability/decideHealth.ts"
import type { RelaySetting } from "../../domain/delivery/RelaySetting.ts"
import { wrongSettingOfReply } from "../../domain/delivery/RelaySetting.ts"
import { classifyRefusal, shownReply } from "../../domain/delivery/SmtpReply.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { pauseEnd, pauseMillis } from "../worker/circuitPause.ts"

/** What the relay's behavior means for the next hand-offs. */
export type RelaySignal =
  /** It answered for the message or the recipient. */
  | "answered"
  /** It asked to slow down (421, 454), or refused the connection or the login with an answer. */
  | "busy"
  /** There was no answer. */
  | "unreachable"
  /** The result says nothing about the relay. */
  | "none"

/** Returns the signal of a result. */
export const relaySignalOf = (result: HandOffResult): RelaySignal => {
  switch (result._tag) {
    case "Accepted":
    case "Delivered":
      return "answered"
    case "Refused":
      if (classifyRefusal(result.reply).relayFault) return "busy"
      return result.reachedRelay === false ? "none" : "answered"
    case "NoReply":
      return result.relayFault === false ? "none" : "unreachable"
    default:
      return "none"
  }
}

/** Hand-offs in a row without any answer after which the circuit is open. */
const unreachableMax = 5

/** A fault of the relay, with its words. */
export interface RelayFault extends HealthFault {
  /** The fault in the relay's or the transport's words. The text may contain an address. */
  readonly text: string
}

export interface RelayLimitState {
  /** How many hand-offs may run at once. */
  readonly limit: number
  /** Results in a row with the signal `busy` or `unreachable`. */
  readonly faults: number
  /** Results in a row with the signal `unreachable`: since the last answer of any kind, also a `busy` one. */
  readonly unreachable: number
  /** Pauses in a row, without an answer for a message or a recipient in between. */
  readonly pauses: number
  /** Whether the relay has answered since the start. */
  readonly hasAnswered: boolean
  readonly pausedUntil: Instant
  readonly lastFault: RelayFault | null
}

export const initialRelayLimit = (limit: number): RelayLimitState => ({
  limit,
  faults: 0,
  unreachable: 0,
  pauses: 0,
  hasAnswered: false,
  pausedUntil: 0,
  lastFault: null
})

const faultOf = (result: HandOffResult, kind: RelayFault["kind"], at: Instant): RelayFault => {
  const reply = "reply" in result ? result.reply : null
  return {
    at,
    kind,
    wrongSetting:
      reply !== null ? wrongSettingOfReply(reply) : result._tag === "NoReply" ? (result.wrongSetting ?? null) : null,
    smtpCode: reply?.smtpCode ?? null,
    enhancedCode: reply?.enhancedCode ?? null,
    text: reply !== null ? shownReply(reply) : "why" in result ? result.why : ""
  }
}

/**
 * Returns the state after a result. An answer lets one more hand-off run; a busy relay gets half as many, an unreachable one a single try. A
 * hand-off without a reply does not end the pause of a busy relay: a relay that asks to slow down often closes its other connections too. The
 * results that arrive during a pause do not lengthen it.
 */
export const relayLimitAfter = (
  state: RelayLimitState,
  result: HandOffResult,
  { now, limitMax }: { readonly now: Instant; readonly limitMax: number }
): RelayLimitState => {
  const signal = relaySignalOf(result)
  if (signal === "none") return state
  if (signal === "answered")
    return {
      ...state,
      limit: Math.min(limitMax, state.limit + 1),
      faults: 0,
      unreachable: 0,
      pauses: 0,
      hasAnswered: true,
      pausedUntil: 0
    }
  const faults = state.faults + 1
  const unreachable = signal === "unreachable" ? state.unreachable + 1 : 0
  const isOpen = unreachable >= unreachableMax
  const opens = isOpen && state.unreachable < unreachableMax
  // No hand-off begins during a pause. The hand-offs that were under way when it began end with the same fault, often all at once.
  const begins = (isOpen || signal === "busy") && (opens || pauseEnd(state.pausedUntil, now) === 0)
  const pauses = state.pauses + (begins ? 1 : 0)
  return {
    limit: isOpen ? 1 : signal === "busy" ? Math.max(1, Math.floor(state.limit / 2)) : state.limit,
    faults,
    unreachable,
    hasAnswered: state.hasAnswered || signal === "busy",
    pauses,
    pausedUntil: begins ? now + pauseMillis(pauses - 1) : state.pausedUntil,
    lastFault: faultOf(result, signal, now)
  }
}

export const circuitOf = ({ faults, unreachable }: RelayLimitState): HealthOfRelay["circuit"] =>
  unreachable >= unreachableMax ? "open" : faults > 0 ? "throttled" : "closed"

const wrongSettingSentences: Readonly<Record<RelaySetting, string>> = {
  login: "The login to the relay fails",
  certificate: "The certificate of the relay is not accepted",
  encryption: "The relay and the transport do not agree on the encryption"
}

/** Why no mail leaves until somebody acts; `undefined` if mail leaves, or will leave after a pause. Contains no words of the relay. */
const standstillOf = (state: RelayLimitState): string | undefined => {
  const circuit = circuitOf(state)
  const { wrongSetting = null, smtpCode = null, enhancedCode = null } = state.lastFault ?? {}
  if (circuit !== "closed" && wrongSetting !== null) {
    const codes = [smtpCode, enhancedCode].filter((code) => code !== null).join(" ")
    return `${wrongSettingSentences[wrongSetting]}${codes === "" ? "" : ` (${codes})`}. Mail waits in the queue.`
  }
  if (circuit === "open") return "The relay cannot be reached. Mail waits in the queue."
  // Most often, an address or an option of the transport is wrong. After an answer, one failure can be an accident.
  if (!state.hasAnswered && state.unreachable > 0)
    return "The relay has not answered since the start. Mail waits in the queue. The health has the reason as lastFault."
  return undefined
}

/** What the log says about the change from one state to the next; `undefined` for no line. */
export const relayNews = (before: RelayLimitState, after: RelayLimitState): string | undefined => {
  const [was, is] = [standstillOf(before), standstillOf(after)]
  if (was === is) return undefined
  return is ?? "The relay takes mail again."
}

/** The end of the pause before the next hand-off; `null` without a pause. */
export const pausedUntilOf = ({ pausedUntil }: RelayLimitState, now: Instant): Instant | null => {
  const end = pauseEnd(pausedUntil, now)
  return end === 0 ? null : end
}

/** How many more hand-offs may start while `underWay` run. */
export const freeHandOffsOf = (state: RelayLimitState, underWay: number, now: Instant): number =>
  pausedUntilOf(state, now) === null ? Math.max(0, state.limit - underWay) : 0
