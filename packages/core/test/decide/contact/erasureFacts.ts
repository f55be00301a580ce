/**
 * A person who is erased, and the facts about messages to this person.
 */
import { makeAddressRedaction } from "../../../src/domain/contact/addressRedaction.ts"
import type { ErasedPerson } from "../../../src/domain/contact/Erasure.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { StoredRecords } from "../../../src/domain/store/StoredRecord.ts"
import { now, project } from "../fixtures.ts"

export const address = "ada@example.org"
export const person: ErasedPerson = {
  projectId: project,
  address,
  contactId: "con_ada",
  redaction: makeAddressRedaction(address)
}

export const ended = { status: "delivered", dueAt: null } as const
export const toBob = { id: "del_2", recipient: "bob@example.org", address: "bob@example.org" } as const

export const idempotency = (change: Partial<StoredRecords["Idempotency"]> = {}): StoredRecords["Idempotency"] => ({
  projectId: project,
  key: "k",
  fingerprint: "f",
  result: { messageId: "msg_1", deliveryIds: ["del_1"], totalQueued: 1, scheduledAt: null },
  expiresAt: now,
  ...change
})

export const rewrites = (changes: ReadonlyArray<Change>) =>
  changes.flatMap((one) =>
    one._tag === "RewriteRecord" ? [[one.before.kind, one.after?.record ?? null] as const] : []
  )
