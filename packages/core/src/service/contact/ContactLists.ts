/**
 * Lists of contacts. Contacts are added to a list one by one. Source: decision 0026.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { createList, ensureList, updateList } from "../../decide/contact/contactList.ts"
import { changeMembership } from "../../decide/contact/membership.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { ContactList, CreateContactListInput, UpdateContactListInput } from "../../domain/contact/ContactList.ts"
import {
  listName,
  listsOfContactMax,
  parseCreateList,
  parseUpdateList,
  toContactList
} from "../../domain/contact/ContactList.ts"
import type { Page, PageInput } from "../../domain/store/Paging.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { NameTaken, RecordNotFound, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { resourcesOf } from "../../internal/store/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"

type ChangeMembership = (
  caller: Caller,
  listId: string,
  contactId: string
) => Effect.Effect<null, InvalidArgument | RecordNotFound | ContactNotFound | TooManyRecords | StoreUnavailable>

/**
 * The lists of contacts of a project.
 *
 * @example
 * ```ts
 * import { ContactLists, Contacts } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const lists = yield* ContactLists
 *   const friends = yield* lists.create("prj_a", { name: "Friends" })
 *   const ada = yield* (yield* Contacts).create("prj_a", { email: "ada@example.org" })
 *   yield* lists.addContact("prj_a", friends.id, ada.id)
 *   return (yield* lists.get("prj_a", friends.id)).contactCount
 * })
 * ```
 */
export class ContactLists extends Context.Service<
  ContactLists,
  {
    /** Returns one page of the lists, newest first. */
    readonly list: (
      caller: Caller,
      input?: PageInput
    ) => Effect.Effect<Page<ContactList>, InvalidArgument | StoreUnavailable>
    /** Returns a list. Fails with `RecordNotFound`. */
    readonly get: (
      caller: Caller,
      listId: string
    ) => Effect.Effect<ContactList, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Creates a list without contacts. Fails with `NameTaken` when a list of the project has the name in any case, and with
     * `TooManyRecords` when the project has 1,000 lists.
     */
    readonly create: (
      caller: Caller,
      input: CreateContactListInput
    ) => Effect.Effect<ContactList, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /**
     * Returns the list with this name, and creates it when it does not exist. A program may call this at every start. Another description in the input
     * replaces that of the list. Fails with `TooManyRecords` when the project has 1,000 lists.
     */
    readonly ensure: (
      caller: Caller,
      input: CreateContactListInput
    ) => Effect.Effect<ContactList, InvalidArgument | TooManyRecords | StoreUnavailable>
    /** Updates a list. Fails with `RecordNotFound`, and with `NameTaken` when another list of the project has the name. */
    readonly update: (
      caller: Caller,
      listId: string,
      input: UpdateContactListInput
    ) => Effect.Effect<ContactList, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    /** Deletes a list. Its contacts stay. Fails with `RecordNotFound`. */
    readonly delete: (
      caller: Caller,
      listId: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Adds a contact to a list. Writes nothing when the contact is already on the list. Fails with `RecordNotFound` for an unknown list,
     * with `ContactNotFound`, and with `TooManyRecords` when the contact is on 100 lists.
     */
    readonly addContact: ChangeMembership
    /**
     * Removes a contact from a list. Writes nothing when the contact is not on the list. Fails with `RecordNotFound` for an unknown list,
     * and with `ContactNotFound`.
     */
    readonly removeContact: ChangeMembership
  }
>()("@mailkeep/core/service/ContactLists") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    ContactLists,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const resources = resourcesOf({ store, ids: yield* IdSource }, "list")

      const withCounts = (projectId: ProjectId, lists: ReadonlyArray<ResourceOf<"list">>) =>
        Effect.map(
          store.read([{ _tag: "Counters", projectId, names: lists.map(({ id }) => `list:${id}` as const) }]),
          ([counts]) => lists.map((list, n) => toContactList(list, counts[n]!))
        )
      const withCount = (projectId: ProjectId, list: ResourceOf<"list">) =>
        Effect.map(withCounts(projectId, [list]), ([one]) => one!)

      const list = Effect.fn("ContactLists.list")(function* (caller: Caller, input: PageInput = {}) {
        const projectId = yield* validProject(caller)
        const { items, ...page } = yield* resources.list(projectId, input)
        return { items: yield* withCounts(projectId, items), ...page }
      })

      const get = Effect.fn("ContactLists.get")(function* (caller: Caller, listId: string) {
        const list = yield* resources.get(caller, listId)
        return yield* withCount(list.projectId, list)
      })

      const create = Effect.fn("ContactLists.create")(function* (caller: Caller, input: CreateContactListInput) {
        const projectId = yield* validProject(caller)
        const list = yield* validated(parseCreateList, input)
        const load = yield* resources.newFacts(projectId, listName(list.name))
        return toContactList(yield* commit(load, (facts) => createList(list, facts), "bounded"), 0)
      })

      const ensure = Effect.fn("ContactLists.ensure")(function* (caller: Caller, input: CreateContactListInput) {
        const projectId = yield* validProject(caller)
        const list = yield* validated(parseCreateList, input)
        const load = yield* resources.ensuringFacts(projectId, listName(list.name))
        return yield* withCount(projectId, yield* commit(load, (facts) => ensureList(list, facts), "bounded"))
      })

      const update = Effect.fn("ContactLists.update")(function* (
        caller: Caller,
        listId: string,
        input: UpdateContactListInput
      ) {
        const projectId = yield* validProject(caller, { id: listId })
        const change = yield* validated(parseUpdateList, input)
        const name = change.name === undefined ? null : listName(change.name)
        const load = yield* resources.existingFacts(projectId, listId, name)
        return yield* withCount(projectId, yield* commit(load, (facts) => updateList(listId, change, facts), "bounded"))
      })

      /** Reads the lists of a contact only when the contact is on as many lists as allowed. */
      const deletedListsOf = ({ projectId, listIds }: ContactRecord) =>
        listIds.length < listsOfContactMax
          ? Effect.succeed([])
          : Effect.map(store.read(listIds.map((id) => ({ _tag: "Resource", projectId, id }) as const)), (lists) =>
              listIds.filter((_, n) => lists[n] === null)
            )

      const membershipChange = (name: string, onList: boolean): ChangeMembership =>
        Effect.fn(name)(function* (caller, listId, contactId) {
          const projectId = yield* validProject(caller, { listId, contactId })
          const now = yield* Clock.currentTimeMillis
          const load = Effect.gen(function* () {
            const [list, contact] = yield* store.read([
              { _tag: "Resource", projectId, id: listId },
              { _tag: "Contact", projectId, id: contactId }
            ])
            return { now, list, contact, deletedListIds: contact === null ? [] : yield* deletedListsOf(contact) }
          })
          return yield* commit(load, (facts) => changeMembership({ listId, contactId, onList }, facts), "bounded")
        })

      return {
        list,
        get,
        create,
        ensure,
        update,
        delete: Effect.fn("ContactLists.delete")(resources.delete),
        addContact: membershipChange("ContactLists.addContact", true),
        removeContact: membershipChange("ContactLists.removeContact", false)
      }
    })
  )
}
