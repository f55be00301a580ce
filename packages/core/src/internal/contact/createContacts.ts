/**
 * Creates contacts with one read and one commit.
 */
import { Clock, Effect, Result } from "effect"
import type { CreatedContact } from "../../decide/contact/createContacts.ts"
import { createContacts } from "../../decide/contact/createContacts.ts"
import type { NewContact } from "../../decide/contact/contact.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import { advanceBlock } from "../../domain/value/Id.ts"
import { canonicalAddress } from "../../domain/message/Address.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { makeCommit } from "../store/commit.ts"
import { keyedAddressOf } from "./keyedAddress.ts"
import type { ResourceDeps } from "../store/resources.ts"
import { resourcesOf } from "../store/resources.ts"

export interface CreateContactsDeps extends ResourceDeps {
  readonly plans: PlanSource["Service"]
  readonly addressKey: (address: string) => string
}

/** A contact with its first event, and the event of its unsubscription. */
const idsOfContact = 2

/**
 * Makes the function that reserves the ids and returns the effect that creates the contacts. The results are in the order of the contacts. A repetition
 * of the effect does not refuse a contact that an earlier try created.
 */
export const makeCreateContacts = ({ store, ids, plans, addressKey }: CreateContactsDeps) => {
  const commit = makeCommit(store)
  const properties = resourcesOf({ store, ids }, "property")

  return Effect.fnUntraced(function* (
    projectId: ProjectId,
    contacts: ReadonlyArray<NewContact>
  ): Effect.fn.Return<Effect.Effect<ReadonlyArray<CreatedContact>, StoreUnavailable>, StoreUnavailable> {
    if (contacts.length === 0) return Effect.succeed([])
    const now = yield* Clock.currentTimeMillis
    const block = yield* ids.reserve(now, contacts.length * idsOfContact)
    const plan = yield* plans.planOf(projectId)
    const keyed = contacts.map(({ input }) => keyedAddressOf(addressKey, projectId, canonicalAddress(input.email)))
    const hasProperties = contacts.some(({ input }) => Object.keys(input.properties ?? {}).length > 0)
    const load = Effect.zipWith(
      hasProperties ? properties.all(projectId) : Effect.succeed([]),
      store.read([
        { _tag: "ContactsByAddress", projectId, addresses: keyed.map(({ address }) => address) },
        { _tag: "Suppressions", projectId, addressKeys: keyed.map((one) => one.addressKey) },
        { _tag: "Counters", projectId, names: ["contacts"] }
      ]),
      (defined, [holders, suppressions, [contactsUsed]]) => ({
        now,
        properties: defined,
        plan,
        contactsUsed: contactsUsed!,
        contacts: contacts.map((contact, n) => ({
          contact,
          ids: advanceBlock(block, n * idsOfContact),
          keyedAddress: keyed[n]!,
          holder: holders[n]!,
          suppression: suppressions[n]!
        }))
      })
    )
    return commit(load, (facts) => Result.succeed(createContacts(facts)), "bounded")
  })
}
