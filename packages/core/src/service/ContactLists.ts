/**
 * Lists of contacts. Contacts are added to a list one by one. Source: decision 0026.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { contactCounts } from "../decide/contactCounts.ts"
import type { Decision } from "../decide/Decision.ts"
import { settled } from "../decide/Decision.ts"
import { expectResource } from "../decide/expectation.ts"
import type { Contact } from "../domain/Contact.ts"
import type { CreateList, UpdateList } from "../domain/ContactList.ts"
import { listsOfContactMax, parseCreateList, parseUpdateList } from "../domain/ContactList.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { InvalidArgument, NameTaken } from "../domain/Failure.ts"
import { ContactNotFound, RecordNotFound, TooManyRecords } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { resourcesOf } from "../internal/resources.ts"
import { validated, validIds } from "../internal/validated.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

/** A list, and the number of its contacts. */
export interface CountedList {
  readonly list: ResourceOf<"list">
  readonly contacts: number
}

type ChangeMembership = (
  projectId: ProjectId,
  listId: string,
  contactId: string
) => Effect.Effect<null, InvalidArgument | RecordNotFound | ContactNotFound | TooManyRecords | StoreUnavailable>

export class ContactLists extends Context.Service<
  ContactLists,
  {
    /** Newest first. */
    readonly page: (
      projectId: ProjectId,
      page: PageRequest
    ) => Effect.Effect<Page<CountedList>, InvalidArgument | StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<CountedList, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Names are unique without regard to case. */
    readonly create: (
      projectId: ProjectId,
      request: CreateList
    ) => Effect.Effect<CountedList, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateList
    ) => Effect.Effect<CountedList, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    /** Deletes the list. Its contacts are resources. */
    readonly remove: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Adds a contact to a list. Does nothing when the contact is already on the list. */
    readonly addContact: ChangeMembership
    /** Removes a contact from a list. Does nothing when the contact is not on the list. */
    readonly removeContact: ChangeMembership
  }
>()("@mailkeep/core/service/ContactLists") {
  static readonly layerNoDeps = Layer.effect(
    ContactLists,
    Effect.gen(function* () {
      const store = yield* MailStore
      const resources = resourcesOf({ store, ids: yield* IdSource }, { kind: "list", record: "list", field: "name" })

      const counted = (projectId: ProjectId, lists: ReadonlyArray<ResourceOf<"list">>) =>
        Effect.map(
          store.read([{ _tag: "Counters", projectId, names: lists.map(({ id }) => `list:${id}` as const) }]),
          ([counts]) => lists.map((list, n): CountedList => ({ list, contacts: counts[n]! }))
        )
      const countedOne = (projectId: ProjectId, list: ResourceOf<"list">) =>
        Effect.map(counted(projectId, [list]), ([one]) => one!)

      const page = Effect.fn("ContactLists.page")(function* (projectId: ProjectId, request: PageRequest) {
        const { items, total, ...page } = yield* resources.page(projectId, request)
        return { items: yield* counted(projectId, items), total, ...page }
      })

      const get = Effect.fn("ContactLists.get")(function* (projectId: ProjectId, id: string) {
        return yield* countedOne(projectId, yield* resources.get(projectId, id))
      })

      const create = Effect.fn("ContactLists.create")(function* (projectId: ProjectId, request: CreateList) {
        yield* validIds({ projectId })
        const { name, description = "" } = yield* validated(parseCreateList, request)
        const content = { name, description }
        return { list: yield* resources.create(projectId, { name: name.toLowerCase(), content }), contacts: 0 }
      })

      const update = Effect.fn("ContactLists.update")(function* (
        projectId: ProjectId,
        id: string,
        request: UpdateList
      ) {
        const asked = yield* validated(parseUpdateList, request)
        const list = yield* resources.update(projectId, id, asked.name?.toLowerCase() ?? null, ({ content }) => {
          const after = { ...content, ...asked }
          return Result.succeed({ name: after.name.toLowerCase(), content: after })
        })
        return yield* countedOne(projectId, list)
      })

      const changeMembership = (
        name: string,
        listsAfter: (contact: Contact, listId: string) => ReadonlyArray<string>
      ): ChangeMembership =>
        Effect.fn(name)(function* (projectId, listId, contactId) {
          yield* validIds({ projectId, listId, contactId })
          const now = yield* Clock.currentTimeMillis
          return yield* decideAndCommit(
            store,
            store.read([
              { _tag: "Resource", projectId, id: listId },
              { _tag: "Contact", projectId, id: contactId }
            ]),
            ([list, contact]): Result.Result<Decision<null>, RecordNotFound | ContactNotFound | TooManyRecords> => {
              if (list?.kind !== "list") return Result.fail(new RecordNotFound({ record: "list", id: listId }))
              if (contact === null) return Result.fail(new ContactNotFound({ contactId }))
              const listIds = listsAfter(contact, listId)
              if (listIds.length === contact.listIds.length) return Result.succeed(settled(null))
              if (listIds.length > listsOfContactMax)
                return Result.fail(new TooManyRecords({ record: "list", max: listsOfContactMax }))
              const after: Contact = { ...contact, listIds, updatedAt: now, revision: contact.revision + 1 }
              return Result.succeed({
                answer: null,
                changes: [
                  expectResource(list),
                  { _tag: "PutContact", contact: after, replaces: contact.revision },
                  ...contactCounts(projectId, contact, after)
                ]
              })
            }
          )
        })

      return {
        page,
        get,
        create,
        update,
        remove: resources.remove,
        addContact: changeMembership("ContactLists.addContact", ({ listIds }, id) =>
          [...new Set([...listIds, id])].toSorted()
        ),
        removeContact: changeMembership("ContactLists.removeContact", ({ listIds }, id) =>
          listIds.filter((one) => one !== id)
        )
      }
    })
  )
}
