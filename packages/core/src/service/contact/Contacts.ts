/**
 * The contacts of a project. Source: docs/spec/coverage.md S7; decision 0012.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { deleteContact } from "../../decide/contact/contact.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { Contact, ContactDetail, CreateContactOptions } from "../../domain/contact/Contact.ts"
import { parseCreateContactOptions, toContact } from "../../domain/contact/Contact.ts"
import type {
  ListContactsInput,
  ContactFilterInput,
  CreateContactInput,
  UpdateContactInput
} from "../../domain/contact/ContactRequest.ts"
import { parseCreateContact, parseUpdateContact } from "../../domain/contact/ContactRequest.ts"
import { valuesByKey } from "../../domain/contact/Property.ts"
import type { ErasureReport } from "../../domain/contact/Erasure.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import { parseAddress } from "../../domain/message/Address.ts"
import type { Page } from "../../domain/store/Paging.ts"
import type { ContactEmailTaken, ContactFilterTooSlow } from "../../domain/contact/ContactFailure.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import { ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { makeContactReader } from "../../internal/contact/contactReader.ts"
import { makeErasure } from "../../internal/contact/erasure.ts"
import { keyedAddressOf } from "../../internal/contact/keyedAddress.ts"
import { resourcesOf } from "../../internal/store/resources.ts"
import { traced } from "../../internal/observability/traced.ts"
import { makeUpdateContact } from "../../internal/contact/updateContact.ts"
import { makeWriteContacts } from "../../internal/contact/writeContacts.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { Secrets } from "../access/Secrets.ts"

/**
 * The contacts of a project: the people to whom it sends mail.
 *
 * @example
 * ```ts
 * import { Contacts } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const contacts = yield* Contacts
 *   const ada = yield* contacts.create("prj_a", { email: "ada@example.org", firstName: "Ada" })
 *   yield* contacts.update("prj_a", ada.id, { email: ada.email, emailStatus: "unsubscribed" })
 *   return yield* contacts.list("prj_a", { search: "ada", limit: 20 })
 * })
 * ```
 */
export class Contacts extends Context.Service<
  Contacts,
  {
    /**
     * Returns one page of contacts, newest first, and the number of all contacts that match. Fails with `ContactFilterTooSlow` when a
     * search, a segment, or a list together with an email status takes longer than 5 s. Fails with `InvalidArgument` when a filter is not valid.
     */
    readonly list: (
      caller: Caller,
      input?: ListContactsInput
    ) => Effect.Effect<Page<Contact>, ContactFilterTooSlow | InvalidArgument | StoreUnavailable>
    /** Streams all matching contacts, newest first, with constant memory use. A contact that matches all the time is emitted exactly once. */
    readonly stream: (
      caller: Caller,
      query?: ContactFilterInput
    ) => Stream.Stream<Contact, InvalidArgument | StoreUnavailable>
    /** Returns a contact with its custom properties, its lists and its `blockReason`. Fails with `ContactNotFound`. */
    readonly get: (
      caller: Caller,
      contactId: string
    ) => Effect.Effect<ContactDetail, InvalidArgument | ContactNotFound | StoreUnavailable>
    /** Returns `null` when no contact has the address, or when the text is not an address. */
    readonly findByEmail: (
      caller: Caller,
      email: string
    ) => Effect.Effect<Contact | null, InvalidArgument | StoreUnavailable>
    /**
     * Creates a contact with the status `subscribed`, and removes the suppression reason `unsubscribed` of its address. Fails with
     * `InvalidArgument` when a field is not valid or a property is not defined, and with `ContactEmailTaken` when a contact of the project
     * has the address. Fails with `PlanLimitReached` when the plan permits no more contacts.
     */
    readonly create: (
      caller: Caller,
      input: CreateContactInput,
      options?: CreateContactOptions
    ) => Effect.Effect<Contact, InvalidArgument | ContactEmailTaken | PlanLimitReached | StoreUnavailable>
    /**
     * Updates a contact. Fields that the input omits keep their values. Fails with `ContactNotFound`, and with `ContactEmailTaken` when
     * another contact has the address. Fails with `InvalidArgument` when a field is not valid or a property is not defined.
     */
    readonly update: (
      caller: Caller,
      contactId: string,
      input: UpdateContactInput
    ) => Effect.Effect<Contact, InvalidArgument | ContactNotFound | ContactEmailTaken | StoreUnavailable>
    /**
     * Deletes a contact. A suppression of its address stays, without the address in clear text. The delivery log keeps its deliveries.
     * Fails with `ContactNotFound`.
     */
    readonly delete: (
      caller: Caller,
      contactId: string
    ) => Effect.Effect<null, InvalidArgument | ContactNotFound | StoreUnavailable>
    /**
     * Erases a person from all records of the project (GDPR article 17). Ends waiting deliveries to the address, deletes the contact and the
     * messages without other recipients, and replaces the address in all other records by `erased@erased.invalid`. The address stays suppressed by
     * its keyed hash. Reads every record of the store, one page at a time. Each message and each page is one commit. After a failure, call again:
     * the erasure continues. Fails with `InvalidArgument` when the text is not an address. Source: decision 0051.
     */
    readonly erase: (caller: Caller, email: string) => Effect.Effect<ErasureReport, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/Contacts") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Contacts,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const ids = yield* IdSource
      const properties = resourcesOf({ store, ids }, "property")
      const { addressKey } = yield* Secrets
      const reader = makeContactReader(store)

      const list = Effect.fn("Contacts.list")(function* (caller: Caller, input: ListContactsInput = {}) {
        const { items, ...page } = yield* reader.page(caller, input)
        return { items: items.map(toContact), ...page }
      })

      const stream = (caller: Caller, query: ContactFilterInput = {}) =>
        Stream.map(reader.stream(caller, query), toContact)

      const get = Effect.fn("Contacts.get")(function* (caller: Caller, contactId: string) {
        const projectId = yield* validProject(caller, { contactId })
        const [contact] = yield* store.read([{ _tag: "Contact", projectId, id: contactId }])
        if (contact === null) return yield* new ContactNotFound({ contactId })
        const now = yield* Clock.currentTimeMillis
        const [[suppression], ...lists] = yield* store.read([
          { _tag: "Suppressions", projectId, addressKeys: [addressKey(contact.address)] },
          ...contact.listIds.map((id) => ({ _tag: "Resource", projectId, id }) as const)
        ])
        const reason = suppressedFor(suppression!, now)
        return {
          ...toContact(contact),
          properties: valuesByKey(contact.properties, yield* properties.all(projectId)),
          listIds: contact.listIds.filter((_, at) => lists[at] !== null),
          blockReason: reason === "unsubscribed" ? null : reason
        }
      })

      const findByEmail = Effect.fn("Contacts.findByEmail")(function* (caller: Caller, email: string) {
        const projectId = yield* validProject(caller, { email })
        const address = parseAddress(email)?.canonical
        if (address === undefined) return null
        const [[contact]] = yield* store.read([{ _tag: "ContactsByAddress", projectId, addresses: [address] }])
        return contact === null ? null : toContact(contact!)
      })

      const writeContacts = makeWriteContacts({ store, ids, plans: yield* PlanSource, addressKey })
      const create = traced(
        "Contacts.create",
        Effect.fnUntraced(function* (caller: Caller, input: CreateContactInput, options: CreateContactOptions = {}) {
          const projectId = yield* validProject(caller)
          const contact = yield* validated(parseCreateContact, input)
          const { source = "manual" } = yield* validated(parseCreateContactOptions, options, "options")
          const newContact = { input: contact, source, emailStatus: "subscribed" } as const
          const [result] = yield* Effect.flatten(writeContacts(projectId, [{ contact: newContact, update: null }]))
          return toContact((yield* Effect.fromResult(result!)).contact)
        })
      )

      const updateOne = makeUpdateContact({ store, ids, addressKey })
      const update = Effect.fn("Contacts.update")(function* (
        caller: Caller,
        contactId: string,
        input: UpdateContactInput
      ) {
        const projectId = yield* validProject(caller, { contactId })
        const change = yield* validated(parseUpdateContact, input)
        return toContact(yield* updateOne(projectId, { contactId, change, keepsProperties: false }))
      })

      const deleteOne = Effect.fn("Contacts.delete")(function* (caller: Caller, contactId: string) {
        const projectId = yield* validProject(caller, { contactId })
        const clock = yield* clockFacts(ids, 1)
        const load = Effect.gen(function* () {
          const [contact] = yield* store.read([{ _tag: "Contact", projectId, id: contactId }])
          const keyedAddress = keyedAddressOf(addressKey, projectId, contact?.address ?? "")
          const [[suppression]] = yield* store.read([
            { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] }
          ])
          return { ...clock, keyedAddress, contact, suppression: suppression! }
        })
        return yield* commit(load, (facts) => deleteContact(contactId, facts), "bounded")
      })

      const eraseAddress = makeErasure({ store, commit, ids })
      const erase = Effect.fn("Contacts.erase")(function* (caller: Caller, email: string) {
        const projectId = yield* validProject(caller, { email })
        const address = parseAddress(email)?.canonical
        if (address === undefined)
          return yield* new InvalidArgument({
            argument: "input",
            issues: [issue(["email"], "invalid_value", "must be an email address")]
          })
        return yield* eraseAddress(keyedAddressOf(addressKey, projectId, address))
      })

      return { list, stream, get, findByEmail, create, update, delete: deleteOne, erase }
    })
  )
}
