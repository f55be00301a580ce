/**
 * Creates or updates several contacts in one commit, so that an import reads and commits once for many rows. Source: decision 0029.
 */
import { Result } from "effect"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import { ContactEmailTaken } from "../../domain/contact/ContactFailure.ts"
import type { ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { Change, ChangeOf } from "../../domain/store/Change.ts"
import { recordKeyOf } from "../../domain/store/commitOrder.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Decision } from "../store/Decision.ts"
import type { ContactFacts, NewContact } from "./contact.ts"
import { createContact, updateContact } from "./contact.ts"

/** One contact to create, with what the store has for its address. */
export interface ContactToWrite extends Pick<ContactFacts, "ids" | "keyedAddress" | "holder" | "suppression"> {
  readonly contact: NewContact
  /** How a contact that has the address already is updated, and the ids of the events of the update. `null`: the new contact is refused then. */
  readonly update: { readonly change: ValidUpdateContact; readonly ids: IdBlock } | null
}

/** What the contacts of one commit share. */
export interface ContactsFacts extends Pick<ContactFacts, "now" | "properties"> {
  readonly contacts: ReadonlyArray<ContactToWrite>
  readonly plan: Plan
  readonly contactsUsed: number
}

/** A contact that was created or updated. */
interface WrittenContact {
  readonly contact: ContactRecord
  readonly outcome: "created" | "updated"
}

/** The contact, or why it is not written. */
export type ContactResult = Result.Result<WrittenContact, InvalidArgument | ContactEmailTaken | PlanLimitReached>

/** One addition to a counter for two. The limit of either holds. */
const addedUp = (one: ChangeOf<"AddToCounter">, other: ChangeOf<"AddToCounter">): Change => ({
  ...one,
  by: one.by + other.by,
  max: one.max ?? other.max
})

/** The changes with one change for each counter whose value changes, and with each guard once. */
const merged = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const shared = new Map<string, Change>()
  const own: Array<Change> = []
  for (const change of changes) {
    if (change._tag !== "AddToCounter" && change._tag !== "Expect") {
      own.push(change)
      continue
    }
    const key = recordKeyOf(change)
    const earlier = shared.get(key)
    const isCountedBefore = change._tag === "AddToCounter" && earlier?._tag === "AddToCounter"
    shared.set(key, isCountedBefore ? addedUp(change, earlier) : change)
  }
  return [...own, ...[...shared.values()].filter((change) => change._tag !== "AddToCounter" || change.by !== 0)]
}

/** Decides on one contact whose address no earlier contact of the commit has. */
const writeContact = (
  { contact, update, ...own }: ContactToWrite,
  facts: Omit<ContactsFacts, "contacts">
): Result.Result<Decision<WrittenContact>, InvalidArgument | ContactEmailTaken | PlanLimitReached> => {
  const { holder } = own
  if (holder === null || update === null)
    return Result.map(createContact(contact, { ...facts, ...own }), ({ answer, changes }) => ({
      answer: { contact: answer, outcome: "created" },
      changes
    }))
  const known = { ...facts, ...own, ids: update.ids, contact: holder, keepsProperties: true }
  const updated = updateContact(holder.id, update.change, known)
  return Result.map(
    // The contact exists, and has the address itself.
    updated as Result.Result<Decision<ContactRecord>, InvalidArgument>,
    ({ answer, changes }) => ({ answer: { contact: answer, outcome: "updated" }, changes })
  )
}

/**
 * Decides on each contact in turn. One that is refused leaves the others unchanged. The second contact with an address is refused. A contact that has
 * its id already was created by an earlier try of the same commit.
 */
export const writeContacts = ({ contacts, ...facts }: ContactsFacts): Decision<ReadonlyArray<ContactResult>> => {
  const taken = new Set<string>()
  const changes: Array<Change> = []
  let { contactsUsed } = facts
  const answer = contacts.map((one): ContactResult => {
    const { holder, ids, keyedAddress } = one
    if (holder !== null && holder.id === idAt(ids, "con", 0))
      return Result.succeed({ contact: holder, outcome: "created" })
    if (taken.has(keyedAddress.address)) return Result.fail(new ContactEmailTaken({ field: "email" }))
    const decided = writeContact(one, { ...facts, contactsUsed })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    taken.add(keyedAddress.address)
    if (decided.success.answer.outcome === "created") contactsUsed++
    changes.push(...decided.success.changes)
    return Result.succeed(decided.success.answer)
  })
  return { answer, changes: merged(changes) }
}
