/**
 * Creates or updates contacts with one read and one commit.
 */
import { Clock, Effect, Result } from "effect"
import type { ContactResult } from "../../decide/contact/writeContacts.ts"
import { writeContacts } from "../../decide/contact/writeContacts.ts"
import type { NewContact } from "../../decide/contact/contact.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import { advanceBlock } from "../../domain/value/Id.ts"
import { canonicalAddress } from "../../domain/message/Address.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { makeCommit } from "../store/commit.ts"
import { keyedAddressOf } from "./keyedAddress.ts"
import type { ResourceDeps } from "../store/resources.ts"
import { resourcesOf } from "../store/resources.ts"

export interface WriteContactsDeps extends ResourceDeps {
  readonly plans: PlanSource["Service"]
  readonly addressKey: (address: string) => string
}

/** A contact to create, or the update of the contact that has its address already. */
export interface ContactInput {
  readonly contact: NewContact
  /** `null`: the contact is refused if its address is taken. */
  readonly update: ValidUpdateContact | null
}

/** A contact or its update, with its event and the event of its unsubscription. */
const idsOfContact = 2

/**
 * Makes the function that reserves the ids and returns the effect that writes the contacts. The results are in the order of the contacts. A repetition
 * of the effect does not refuse a contact that an earlier try created. It updates a contact again, with new events.
 */
export const makeWriteContacts = ({ store, ids, plans, addressKey }: WriteContactsDeps) => {
  const commit = makeCommit(store)
  const properties = resourcesOf({ store, ids }, "property")

  return Effect.fnUntraced(function* (
    projectId: ProjectId,
    contacts: ReadonlyArray<ContactInput>
  ): Effect.fn.Return<Effect.Effect<ReadonlyArray<ContactResult>, StoreUnavailable>, StoreUnavailable> {
    if (contacts.length === 0) return Effect.succeed([])
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, contacts.length * idsOfContact)
    const plan = yield* plans.planOf(projectId)
    const keyed = contacts.map(({ contact }) =>
      keyedAddressOf(addressKey, projectId, canonicalAddress(contact.input.email))
    )
    const hasProperties = contacts.some(({ contact }) => Object.keys(contact.input.properties ?? {}).length > 0)
    const hasUpdates = contacts.some(({ update }) => update !== null)
    const load = Effect.gen(function* () {
      const defined = hasProperties ? yield* properties.all(projectId) : []
      const updateBlock = hasUpdates ? yield* ids.reserve(now, contacts.length * idsOfContact) : block
      const [holders, suppressions, [contactsUsed]] = yield* store.read([
        { _tag: "ContactsByAddress", projectId, addresses: keyed.map(({ address }) => address) },
        { _tag: "Suppressions", projectId, addressKeys: keyed.map((one) => one.addressKey) },
        { _tag: "Counters", projectId, names: ["contacts"] }
      ])
      return {
        now,
        properties: defined,
        plan,
        contactsUsed: contactsUsed!,
        contacts: contacts.map(({ contact, update }, n) => ({
          contact,
          update: update === null ? null : { change: update, ids: advanceBlock(updateBlock, n * idsOfContact) },
          ids: advanceBlock(block, n * idsOfContact),
          keyedAddress: keyed[n]!,
          holder: holders[n]!,
          suppression: suppressions[n]!
        }))
      }
    })
    return commit(load, (facts) => Result.succeed(writeContacts(facts)), "bounded")
  })
}
