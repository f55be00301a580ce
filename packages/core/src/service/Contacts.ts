/**
 * The people a project writes to. Source: interface, List contacts, Create a contact, Update a contact; decision 0012.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { createContact, updateContact } from "../decide/contact.ts"
import { parseAddress } from "../domain/Address.ts"
import type { Contact } from "../domain/Contact.ts"
import type { CreateContact, UpdateContact } from "../domain/ContactRequest.ts"
import type { ContactEmailTaken, ContactNotFound, InvalidArgument, PlanLimitReached } from "../domain/Failure.ts"
import type { ContactFilters, Page, PageRequest } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import { WorkSignal } from "./WorkSignal.ts"

export class Contacts extends Context.Service<
  Contacts,
  {
    /** Newest first. */
    readonly page: (
      projectId: ProjectId,
      filters: ContactFilters,
      page: PageRequest
    ) => Effect.Effect<Page<Contact>, StoreUnavailable>
    /** Creates from a request whose form `parseCreateContact` has judged. */
    readonly create: (
      projectId: ProjectId,
      request: CreateContact
    ) => Effect.Effect<Contact, InvalidArgument | ContactEmailTaken | PlanLimitReached | StoreUnavailable>
    /** Updates from a request whose form `parseUpdateContact` has judged. */
    readonly update: (
      projectId: ProjectId,
      contactId: string,
      request: UpdateContact
    ) => Effect.Effect<Contact, InvalidArgument | ContactNotFound | ContactEmailTaken | StoreUnavailable>
  }
>()("@mailkeep/core/service/Contacts") {
  static readonly layerNoDeps = Layer.effect(
    Contacts,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource
      const plans = yield* PlanSource
      const signal = yield* WorkSignal

      const page = Effect.fn("Contacts.page")(function* (
        projectId: ProjectId,
        filters: ContactFilters,
        page: PageRequest
      ) {
        // Lists and segments come with later work; until then every one is unknown, and an unknown one has no members.
        if (filters.listId !== null || filters.segmentId !== null) return { items: [], total: 0, ...page }
        const [found] = yield* store.read([{ _tag: "ContactPage", projectId, filters, page }])
        return { ...found, ...page }
      })

      const atAddress = (projectId: ProjectId, email: string) => {
        const addresses = [parseAddress(email)?.canonical ?? ""]
        return [
          { _tag: "ContactsByAddress", projectId, addresses },
          { _tag: "Suppressions", projectId, addresses }
        ] as const
      }

      const create = Effect.fn("Contacts.create")(function* (projectId: ProjectId, request: CreateContact) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const plan = yield* plans.planOf(projectId)
        return yield* decideAndCommit(
          store,
          store.read([...atAddress(projectId, request.email), { _tag: "Counters", projectId, names: ["contacts"] }]),
          ([[holder], [suppression], [contactsUsed]]) =>
            createContact(request, {
              now,
              ids: block,
              projectId,
              holder: holder!,
              suppression: suppression!,
              plan,
              contactsUsed: contactsUsed!
            })
        )
      })

      const update = Effect.fn("Contacts.update")(function* (
        projectId: ProjectId,
        contactId: string,
        request: UpdateContact
      ) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const updated = yield* decideAndCommit(
          store,
          store.read([...atAddress(projectId, request.email), { _tag: "Contact", projectId, id: contactId }]),
          ([[holder], [suppression], contact]) =>
            updateContact(contactId, request, {
              now,
              ids: block,
              projectId,
              holder: holder!,
              suppression: suppression!,
              contact
            })
        )
        yield* signal.notify
        return updated
      })

      return { page, create, update }
    })
  )
}
