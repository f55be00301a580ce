/**
 * The contacts of a project. Source: interface, List contacts, Create a contact, Update a contact; decision 0012.
 */
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { createContact, eraseContact, updateContact } from "../decide/contact.ts"
import { parseAddress } from "../domain/Address.ts"
import type { Contact, ContactSource } from "../domain/Contact.ts"
import { parseContactSource } from "../domain/Contact.ts"
import type { ContactFilters } from "../domain/ContactPredicate.ts"
import type { ContactQuery, CreateContact, UpdateContact } from "../domain/ContactRequest.ts"
import { parseContactQuery, parseCreateContact, parseUpdateContact } from "../domain/ContactRequest.ts"
import type { ContactEmailTaken, ContactFilterTooSlow, InvalidArgument, PlanLimitReached } from "../domain/Failure.ts"
import { ContactNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest, Position } from "../domain/Paging.ts"
import { parsePageRequest } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { ContactScan } from "../domain/Query.ts"
import type { PropertyValue } from "../domain/Property.ts"
import { valuesByKey } from "../domain/Property.ts"
import type { SuppressionReason } from "../domain/Suppression.ts"
import { suppressedFor } from "../domain/Suppression.ts"
import { makeContactScanner } from "../internal/contactScan.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { resourcesOf } from "../internal/resources.ts"
import { validated, validIds } from "../internal/validated.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import { Secrets } from "./Secrets.ts"
import { Segments } from "./Segments.ts"

/** A contact with its custom properties and its suppression. */
export interface ContactDetail {
  readonly contact: Contact
  readonly properties: Readonly<Record<string, PropertyValue>>
  /** Why the address gets no mail, when the reason is not `unsubscribed`. */
  readonly blockReason: SuppressionReason | null
}

/** How many contacts one query of a stream reads. */
const batchMax = 1000

/** Whether an index supports the filters, so that a page needs no scan. */
const isIndexed = ({ search, emailStatus, listId, segment }: ContactFilters): boolean =>
  search === null && segment === null && (emailStatus === null || listId === null)

export class Contacts extends Context.Service<
  Contacts,
  {
    /** Newest first. Fails with `ContactFilterTooSlow` when a search or a segment takes longer than 5 s. */
    readonly page: (
      projectId: ProjectId,
      query: ContactQuery,
      page: PageRequest
    ) => Effect.Effect<Page<Contact>, ContactFilterTooSlow | InvalidArgument | StoreUnavailable>
    /** Streams all matching contacts, newest first, with constant memory use. A contact that matches all the time is emitted exactly once. */
    readonly each: (
      projectId: ProjectId,
      query: ContactQuery
    ) => Stream.Stream<Contact, InvalidArgument | StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      contactId: string
    ) => Effect.Effect<ContactDetail, InvalidArgument | ContactNotFound | StoreUnavailable>
    /** Returns `null` when no contact has the address, or when the text is not an address. */
    readonly findByEmail: (
      projectId: ProjectId,
      email: string
    ) => Effect.Effect<Contact | null, InvalidArgument | StoreUnavailable>
    readonly create: (
      projectId: ProjectId,
      request: CreateContact,
      source?: ContactSource
    ) => Effect.Effect<Contact, InvalidArgument | ContactEmailTaken | PlanLimitReached | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      contactId: string,
      request: UpdateContact
    ) => Effect.Effect<Contact, InvalidArgument | ContactNotFound | ContactEmailTaken | StoreUnavailable>
    /** Deletes the contact. A suppression of its address stays, without the address in clear text. The delivery log keeps its deliveries. */
    readonly erase: (
      projectId: ProjectId,
      contactId: string
    ) => Effect.Effect<null, InvalidArgument | ContactNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Contacts") {
  static readonly layerNoDeps = Layer.effect(
    Contacts,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource
      const plans = yield* PlanSource
      const segments = yield* Segments
      const properties = resourcesOf({ store, ids }, { kind: "property", record: "property", field: "key" })
      const { addressKey } = yield* Secrets
      const scanner = makeContactScanner(store)

      /** Returns `null` when no contact can match. */
      const filtersOf = Effect.fnUntraced(function* (
        projectId: ProjectId,
        query: ContactQuery
      ): Effect.fn.Return<ContactFilters | null, InvalidArgument | StoreUnavailable> {
        yield* validIds({ projectId })
        const { segmentId, ...filters } = yield* validated(parseContactQuery, query, "query")
        if (filters.listId !== null) {
          const [list] = yield* store.read([{ _tag: "Resource", projectId, id: filters.listId }])
          if (list?.kind !== "list") return null
        }
        if (segmentId === null) return { ...filters, segment: null }
        const segment = yield* segments.predicateOf(projectId, segmentId)
        return segment === null ? null : { ...filters, segment }
      })

      /** Takes the total from counters, which every write of a contact updates. */
      const indexedPage = Effect.fnUntraced(function* (
        projectId: ProjectId,
        { emailStatus, listId }: ContactFilters,
        page: PageRequest
      ) {
        const skip = Math.min(Number.MAX_SAFE_INTEGER, (page.page - 1) * page.limit)
        const [items, [all, unsubscribed, onList]] = yield* store.read([
          { _tag: "ContactPage", projectId, emailStatus, listId, after: null, skip, limit: page.limit },
          { _tag: "Counters", projectId, names: ["contacts", "unsubscribed", `list:${listId ?? ""}`] }
        ])
        const total =
          listId !== null
            ? onList!
            : emailStatus === null
              ? all!
              : emailStatus === "unsubscribed"
                ? unsubscribed!
                : all! - unsubscribed!
        return { items, total, ...page }
      })

      const page = Effect.fn("Contacts.page")(function* (
        projectId: ProjectId,
        query: ContactQuery,
        request: PageRequest
      ) {
        const page = yield* validated(parsePageRequest, request, "query")
        const filters = yield* filtersOf(projectId, query)
        if (filters === null) return { items: [], total: 0, ...page }
        return yield* isIndexed(filters)
          ? indexedPage(projectId, filters, page)
          : scanner.page(projectId, filters, page)
      })

      const nextBatch = (
        projectId: ProjectId,
        filters: ContactFilters,
        after: Position | null
      ): Effect.Effect<Pick<ContactScan, "items" | "next">, StoreUnavailable> => {
        const { emailStatus, listId } = filters
        return isIndexed(filters)
          ? Effect.map(
              store.read([{ _tag: "ContactPage", projectId, emailStatus, listId, after, skip: 0, limit: batchMax }]),
              ([items]) => ({ items, next: items.length < batchMax ? null : items.at(-1)! })
            )
          : scanner.piece(projectId, filters, after)
      }

      const each = (projectId: ProjectId, query: ContactQuery) =>
        Stream.unwrap(
          Effect.map(filtersOf(projectId, query), (filters) =>
            filters === null
              ? Stream.empty
              : Stream.paginate(null as Position | null, (after) =>
                  Effect.map(
                    nextBatch(projectId, filters, after),
                    ({ items, next }) => [items, Option.fromNullOr(next)] as const
                  )
                )
          )
        )

      const keyedAddressOf = (projectId: ProjectId, address: string) => ({
        projectId,
        address,
        addressKey: addressKey(address)
      })

      const addressReads = ({ projectId, address, addressKey }: ReturnType<typeof keyedAddressOf>) =>
        [
          { _tag: "ContactsByAddress", projectId, addresses: [address] },
          { _tag: "Suppressions", projectId, addressKeys: [addressKey] }
        ] as const

      /** Reads the properties of the project only when the request has property values. */
      const propertiesFor = (projectId: ProjectId, request: Pick<CreateContact, "properties">) =>
        Object.keys(request.properties ?? {}).length === 0 ? Effect.succeed([]) : properties.all(projectId)

      const get = Effect.fn("Contacts.get")(function* (projectId: ProjectId, contactId: string) {
        yield* validIds({ projectId, contactId })
        const [contact] = yield* store.read([{ _tag: "Contact", projectId, id: contactId }])
        if (contact === null) return yield* new ContactNotFound({ contactId })
        const now = yield* Clock.currentTimeMillis
        const [[suppression]] = yield* store.read([
          { _tag: "Suppressions", projectId, addressKeys: [addressKey(contact.address)] }
        ])
        const reason = suppressedFor(suppression!, now)
        return {
          contact,
          properties: valuesByKey(contact.properties, yield* properties.all(projectId)),
          blockReason: reason === "unsubscribed" ? null : reason
        }
      })

      const findByEmail = Effect.fn("Contacts.findByEmail")(function* (projectId: ProjectId, email: string) {
        yield* validIds({ projectId, email })
        const address = parseAddress(email)?.canonical
        if (address === undefined) return null
        const [[contact]] = yield* store.read([{ _tag: "ContactsByAddress", projectId, addresses: [address] }])
        return contact!
      })

      const create = Effect.fn("Contacts.create")(function* (
        projectId: ProjectId,
        asked: CreateContact,
        contactSource: ContactSource = "manual"
      ) {
        yield* validIds({ projectId })
        const request = yield* validated(parseCreateContact, asked)
        const { source } = yield* validated(parseContactSource, { source: contactSource })
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const plan = yield* plans.planOf(projectId)
        const keyedAddress = keyedAddressOf(projectId, parseAddress(request.email)!.canonical)
        const facts = Effect.zip(
          propertiesFor(projectId, request),
          store.read([...addressReads(keyedAddress), { _tag: "Counters", projectId, names: ["contacts"] }])
        )
        return yield* decideAndCommit(store, facts, ([properties, [[holder], [suppression], [contactsUsed]]]) =>
          createContact(request, source, {
            now,
            ids: block,
            keyedAddress,
            holder: holder!,
            suppression: suppression!,
            properties,
            plan,
            contactsUsed: contactsUsed!
          })
        )
      })

      const update = Effect.fn("Contacts.update")(function* (
        projectId: ProjectId,
        contactId: string,
        asked: UpdateContact
      ) {
        yield* validIds({ projectId, contactId })
        const request = yield* validated(parseUpdateContact, asked)
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 2)
        const keyedAddress = keyedAddressOf(projectId, parseAddress(request.email)!.canonical)
        const facts = Effect.zip(
          propertiesFor(projectId, request),
          store.read([...addressReads(keyedAddress), { _tag: "Contact", projectId, id: contactId }])
        )
        const updated = yield* decideAndCommit(store, facts, ([properties, [[holder], [suppression], contact]]) =>
          updateContact(contactId, request, {
            now,
            ids: block,
            keyedAddress,
            holder: holder!,
            suppression: suppression!,
            properties,
            contact
          })
        )
        return updated
      })

      const erase = Effect.fn("Contacts.erase")(function* (projectId: ProjectId, contactId: string) {
        yield* validIds({ projectId, contactId })
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const facts = Effect.gen(function* () {
          const [contact] = yield* store.read([{ _tag: "Contact", projectId, id: contactId }])
          const keyedAddress = keyedAddressOf(projectId, contact?.address ?? "")
          const [[suppression]] = yield* store.read([
            { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] }
          ])
          return { now, ids: block, keyedAddress, contact, suppression: suppression! }
        })
        yield* decideAndCommit(store, facts, (facts) => eraseContact(contactId, facts))
        return null
      })

      return { page, each, get, findByEmail, create, update, erase }
    })
  )
}
