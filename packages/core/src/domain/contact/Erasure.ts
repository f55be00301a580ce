/**
 * The erasure of a person, and its report. The law is article 17 of the GDPR. Source: decision 0051.
 */
import type { ProjectId } from "../access/Project.ts"
import type { ContactId } from "../value/Id.ts"
import type { AddressRedaction } from "./addressRedaction.ts"

/** The person to erase. */
export interface ErasedPerson {
  readonly projectId: ProjectId
  /** The canonical address. */
  readonly address: string
  /** The contact with the address, if there is one. */
  readonly contactId: ContactId | null
  readonly redaction: AddressRedaction
}

/** The kinds of records from which an erasure removes a person. */
export const erasedKinds = ["Contact", "Message", "Delivery", "Attempt", "Event", "Idempotency"] as const
/** A kind of record from which an erasure removes a person. */
export type ErasedKind = (typeof erasedKinds)[number]

/** What one piece of an erasure did. */
export interface ErasedCounts {
  readonly deleted: Readonly<Record<ErasedKind, number>>
  readonly redacted: Readonly<Record<ErasedKind, number>>
}

/** What an erasure did, and what it kept. */
export interface ErasureReport extends ErasedCounts {
  /**
   * Whether nothing is left. `false` if a message is being sent to the person: call again after the hand-off has ended, at the latest after
   * 45 s without a worker. Also `false` while a message from the person's address, or with this address for replies, waits to be sent to others:
   * call again after it was sent or canceled. Also `false` when a message to the person was accepted meanwhile.
   */
  readonly isComplete: boolean
  /** Scheduled and queued deliveries to the person that were ended first. */
  readonly ended: number
  /** The messages that wait for the end of a hand-off, and the messages by the person that wait to be sent. */
  readonly underWay: number
  readonly kept: {
    /** Whether the address stays suppressed. Only its keyed hash and the reasons are kept. */
    readonly suppression: boolean
    /** The ids of templates, segments, API keys and other resources that contain the address. They are texts of the product. At most 100. */
    readonly resourceIds: ReadonlyArray<string>
  }
}

const none = { Contact: 0, Message: 0, Delivery: 0, Attempt: 0, Event: 0, Idempotency: 0 }

/** Nothing was erased. */
export const nothingErased: ErasedCounts = { deleted: none, redacted: none }

const sum = (a: ErasedCounts["deleted"], b: Partial<ErasedCounts["deleted"]>): ErasedCounts["deleted"] => ({
  Contact: a.Contact + (b.Contact ?? 0),
  Message: a.Message + (b.Message ?? 0),
  Delivery: a.Delivery + (b.Delivery ?? 0),
  Attempt: a.Attempt + (b.Attempt ?? 0),
  Event: a.Event + (b.Event ?? 0),
  Idempotency: a.Idempotency + (b.Idempotency ?? 0)
})

/** Adds what two pieces did. */
export const addErased = (
  a: ErasedCounts,
  { deleted = {}, redacted = {} }: { readonly [K in keyof ErasedCounts]?: Partial<ErasedCounts[K]> }
): ErasedCounts => ({ deleted: sum(a.deleted, deleted), redacted: sum(a.redacted, redacted) })
