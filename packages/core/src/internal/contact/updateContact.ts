/**
 * Updates a contact by its id or by its address, in one decision, so that two updates at the same time keep the changes of both.
 */
import { Effect } from "effect"
import { updateContact } from "../../decide/contact/contact.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactEmailTaken, ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import { canonicalAddress } from "../../domain/message/Address.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { clockFacts } from "../store/clockFacts.ts"
import { makeCommit } from "../store/commit.ts"
import { keyedAddressOf } from "./keyedAddress.ts"
import type { ResourceDeps } from "../store/resources.ts"
import { resourcesOf } from "../store/resources.ts"

export interface UpdateContactDeps extends ResourceDeps {
  readonly addressKey: (address: string) => string
}

/** Which contact is updated, and how. */
export interface ContactUpdate {
  /** `null`: the contact that has the address of the change. */
  readonly contactId: string | null
  readonly change: ValidUpdateContact
  /** Whether the properties that the change does not name keep their values. */
  readonly keepsProperties: boolean
}

/** Makes the function that updates a contact. */
export const makeUpdateContact = ({ store, ids, addressKey }: UpdateContactDeps) => {
  const commit = makeCommit(store)
  const properties = resourcesOf({ store, ids }, "property")

  return Effect.fnUntraced(function* (
    projectId: ProjectId,
    { contactId, change, keepsProperties }: ContactUpdate
  ): Effect.fn.Return<ContactRecord, InvalidArgument | ContactNotFound | ContactEmailTaken | StoreUnavailable> {
    const clock = yield* clockFacts(ids, 2)
    const keyedAddress = keyedAddressOf(addressKey, projectId, canonicalAddress(change.email))
    const hasProperties = Object.keys(change.properties ?? {}).length > 0
    const load = Effect.zipWith(
      hasProperties ? properties.all(projectId) : Effect.succeed([]),
      store.read([
        { _tag: "ContactsByAddress", projectId, addresses: [keyedAddress.address] },
        { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] },
        ...(contactId === null ? [] : [{ _tag: "Contact", projectId, id: contactId } as const])
      ]),
      (defined, [[holder], [suppression], contact]) => ({
        ...clock,
        keyedAddress,
        holder: holder!,
        suppression: suppression!,
        properties: defined,
        contact: contactId === null ? holder! : contact!,
        keepsProperties
      })
    )
    return yield* commit(load, (facts) => updateContact(contactId ?? facts.contact?.id ?? "", change, facts), "bounded")
  })
}
