/**
 * A push: one event on its way to one consumer, and the tries so far. Source: decision 0016.
 */
import type { EventId, PushId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { EventKind } from "./MailEvent.ts"
import type { ProjectId } from "./Project.ts"

export const pushStatuses = ["pending", "delivered", "failed"] as const
export type PushStatus = (typeof pushStatuses)[number]

export interface PushTry {
  readonly at: Instant
  /** The consumer's answer, where it gave one. */
  readonly status: number | null
  /** Why there was none, in words of ours. */
  readonly error: string | null
  readonly durationMillis: number
}

export interface EventPushState {
  readonly status: PushStatus
  /** When a claim may next take it; `null` when no claim will. */
  readonly dueAt: Instant | null
  readonly worker: string | null
  /** Grows with every claim and move; a write that names an older one changes nothing. */
  readonly token: number
  /** Tries since it was made or replayed: the place in the retry schedule. */
  readonly attempts: number
  /** The latest ones, the oldest first. */
  readonly tries: ReadonlyArray<PushTry>
  readonly settledAt: Instant | null
}

export interface EventPush extends EventPushState {
  readonly id: PushId
  readonly projectId: ProjectId
  /** The id of a webhook or of a subscription. */
  readonly consumer: string
  readonly eventId: EventId
  readonly eventKind: EventKind
  readonly createdAt: Instant
}

/** How many tries a push remembers. */
export const triesKeptMax = 20

/** The part of a push that moves change. */
export const pushState = ({ status, dueAt, worker, token, attempts, tries, settledAt }: EventPush): EventPushState => ({
  status,
  dueAt,
  worker,
  token,
  attempts,
  tries,
  settledAt
})
