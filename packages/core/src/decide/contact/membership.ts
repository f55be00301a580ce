/**
 * Adds a contact to a list, or removes the contact from the list. Source: decision 0026.
 */
import { Result } from "effect"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import { listsOfContactMax } from "../../domain/contact/ContactList.ts"
import type { Resource } from "../../domain/store/Resource.ts"
import { ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import { RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectResource } from "../store/expectation.ts"
import { contactCounts } from "./contactCounts.ts"

export interface MembershipFacts {
  readonly now: Instant
  /** The resource with the id of the list. It may be of another kind. */
  readonly list: Resource | null
  readonly contact: ContactRecord | null
  /** The lists of the contact that have been deleted. May be empty while the contact is on fewer lists than allowed. */
  readonly deletedListIds: ReadonlyArray<string>
}

export interface MembershipChange {
  readonly listId: string
  readonly contactId: string
  /** Whether the contact is on the list after the change. */
  readonly onList: boolean
}

/**
 * Changes the lists of a contact. Writes nothing when the contact is already on the list, or already not on the list. Deleted lists do not count for
 * the limit, and leave the contact when a list is added.
 */
export const changeMembership = (
  { listId, contactId, onList }: MembershipChange,
  { now, list, contact, deletedListIds }: MembershipFacts
): Result.Result<Decision<null>, RecordNotFound | ContactNotFound | TooManyRecords> => {
  if (list?.kind !== "list") return Result.fail(new RecordNotFound({ record: "list", id: listId }))
  if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
  if (contact.listIds.includes(listId) === onList) return Result.succeed(unchanged(null))
  const listIds = onList
    ? [...contact.listIds.filter((one) => !deletedListIds.includes(one)), listId].toSorted()
    : contact.listIds.filter((one) => one !== listId)
  if (listIds.length > listsOfContactMax)
    return Result.fail(new TooManyRecords({ record: "list", max: listsOfContactMax, owner: "contact" }))
  const after: ContactRecord = { ...contact, listIds, updatedAt: now, revision: contact.revision + 1 }
  return Result.succeed({
    answer: null,
    changes: [
      expectResource(list),
      { _tag: "PutContact", contact: after, replaces: contact.revision },
      ...contactCounts(contact.projectId, contact, after)
    ]
  })
}
