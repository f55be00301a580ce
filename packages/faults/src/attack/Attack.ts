/**
 * One attack on a running server: a name, a bound and what it does. The attackers' processes run them; see `everyAttack.ts`.
 */
import { setTimeout as wait } from "node:timers/promises"

/** Where the server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The projects of the attackers, each with an API key of its own, so that a limit per project shields no other attack. */
export const attackerProjects = [
  "prj_templates",
  "prj_contacts",
  "prj_segments",
  "prj_connections",
  "prj_bodies",
  "prj_webhooks"
] as const
export type AttackerProject = (typeof attackerProjects)[number]

/** What was made before the attack; `null` where the server refused it in every size. */
export interface PreparedRecords {
  readonly apiKeys: Readonly<Record<AttackerProject, string>>
  readonly templates: Readonly<Record<PreparedTemplate, string | null>>
  readonly segments: Readonly<Record<PreparedSegment, string | null>>
}

export const preparedTemplates = [
  "bodyTags",
  "rawValue",
  "small",
  "large",
  "hundredTags",
  "manyTags",
  "largeAnswer"
] as const
export type PreparedTemplate = (typeof preparedTemplates)[number]

export const preparedSegments = ["contains", "in", "changing"] as const
export type PreparedSegment = (typeof preparedSegments)[number]

export interface AttackContext {
  readonly address: Address
  readonly prepared: PreparedRecords
  /** Ends the attack. */
  readonly signal: AbortSignal
  /** Counts one answer: a status, or how the connection ended. */
  readonly count: (answer: string) => void
}

export interface Attack {
  readonly name: string
  /** Rate and bound, in words. */
  readonly bound: string
  readonly run: (context: AttackContext) => Promise<void>
}

/** Waits, and returns early when the attack ends. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  wait(millis, undefined, { signal }).catch(() => undefined)

interface Pace {
  readonly everyMillis: number
  /** Requests under way at once; a request that would be one more is counted as `not begun`. */
  readonly atOnceMax: number
}

/** Makes one request after each interval until the attack ends, and counts its answers. */
export const paced = async (
  { everyMillis, atOnceMax }: Pace,
  { signal, count }: AttackContext,
  one: (n: number) => Promise<string>
): Promise<void> => {
  const underWay = new Set<Promise<void>>()
  for (let n = 0; !signal.aborted; n++) {
    if (underWay.size >= atOnceMax) count("not begun")
    else {
      const request: Promise<void> = one(n).then((answer) => {
        count(answer)
        return void underWay.delete(request)
      })
      underWay.add(request)
    }
    await pause(everyMillis, signal)
  }
  await Promise.all(underWay)
}

/** Counts of each answer, by attack. */
export type AnswerCounts = Readonly<Record<string, Readonly<Record<string, number>>>>
