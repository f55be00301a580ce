/**
 * An attack on a running server: its name, its bound and its action. `everyAttack.ts` lists the attacks by process.
 */
import { setTimeout as wait } from "node:timers/promises"

/** The address of the server. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The projects of the attackers. Each has its own API key, so that the limits of a project affect only its own attacks. */
export const attackerProjects = [
  "prj_templates",
  "prj_contacts",
  "prj_segments",
  "prj_connections",
  "prj_bodies",
  "prj_webhooks"
] as const
export type AttackerProject = (typeof attackerProjects)[number]

/** The ids of the records created before the attack, and an API key of each project. */
export interface PreparedRecords {
  readonly apiKeys: Readonly<Record<AttackerProject, string>>
  readonly templates: Readonly<Record<PreparedTemplate, string>>
  readonly segments: Readonly<Record<PreparedSegment, string>>
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
  /** How slow the machine is: 2 means that the attack sends half as often. */
  readonly slowness: number
  /** Aborted when the attack must end. */
  readonly signal: AbortSignal
  /** Counts one answer: a status, or the way the connection ended. */
  readonly count: (answer: string) => void
}

export interface Attack {
  readonly name: string
  /** Rate and limit of the attack on a machine that is not slow, as text. */
  readonly bound: string
  readonly run: (context: AttackContext) => Promise<void>
}

/** Waits. Returns early when the attack ends. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  wait(millis, undefined, { signal }).catch(() => undefined)

interface Pace {
  readonly everyMillis: number
  /** Maximum number of concurrent requests. A request over this limit is counted as `skipped`. */
  readonly atOnceMax: number
}

/** Starts one request per interval until the attack ends, and counts the answers. */
export const paced = async (
  { everyMillis, atOnceMax }: Pace,
  { slowness, signal, count }: AttackContext,
  one: (n: number) => Promise<string>
): Promise<void> => {
  const running = new Set<Promise<void>>()
  for (let n = 0; !signal.aborted; n++) {
    if (running.size >= atOnceMax) count("skipped")
    else {
      const request: Promise<void> = one(n).then((answer) => {
        count(answer)
        return void running.delete(request)
      })
      running.add(request)
    }
    await pause(everyMillis * slowness, signal)
  }
  await Promise.all(running)
}

/** The number of each kind of answer, by attack. */
export type AnswerCounts = Readonly<Record<string, Readonly<Record<string, number>>>>
