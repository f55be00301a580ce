/**
 * Creates several contacts in one commit, so that an import reads and commits once for many rows. Source: decision 0029.
 */
import { Result } from "effect"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import { ContactEmailTaken } from "../../domain/contact/ContactFailure.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { Change } from "../../domain/store/Change.ts"
import { recordKeyOf } from "../../domain/store/commitOrder.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Decision } from "../store/Decision.ts"
import type { ContactFacts, NewContact } from "./contact.ts"
import { createContact } from "./contact.ts"

/** One contact to create, with what the store has for its address. */
export interface ContactToCreate extends Pick<ContactFacts, "ids" | "keyedAddress" | "holder" | "suppression"> {
  readonly contact: NewContact
}

/** What the contacts of one commit share. */
export interface NewContactsFacts extends Pick<ContactFacts, "now" | "properties"> {
  readonly contacts: ReadonlyArray<ContactToCreate>
  readonly plan: Plan
  readonly contactsUsed: number
}

/** The contact, or why it is not created. */
export type CreatedContact = Result.Result<ContactRecord, InvalidArgument | ContactEmailTaken | PlanLimitReached>

/** The changes with one change for each counter, and with each guard once. */
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
    shared.set(key, isCountedBefore ? { ...change, by: change.by + earlier.by } : change)
  }
  return [...own, ...shared.values()]
}

/**
 * Decides on each contact in turn. One that is refused leaves the others unchanged. A contact that has its id already was created by an earlier try of
 * the same commit.
 */
export const createContacts = ({ contacts, ...facts }: NewContactsFacts): Decision<ReadonlyArray<CreatedContact>> => {
  const taken = new Set<string>()
  const changes: Array<Change> = []
  let { contactsUsed } = facts
  const answer = contacts.map(({ contact, ...own }): CreatedContact => {
    const { address } = own.keyedAddress
    if (own.holder !== null && own.holder.id === idAt(own.ids, "con", 0)) return Result.succeed(own.holder)
    if (taken.has(address)) return Result.fail(new ContactEmailTaken({ field: "email" }))
    const decided = createContact(contact, { ...facts, ...own, contactsUsed })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    taken.add(address)
    contactsUsed++
    changes.push(...decided.success.changes)
    return Result.succeed(decided.success.answer)
  })
  return { answer, changes: merged(changes) }
}
