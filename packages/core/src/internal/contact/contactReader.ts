/**
 * Reads the contacts that a query selects: by an index where the store has one, otherwise by a scan.
 */
import { Effect, Option, Result, Stream } from "effect"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { ContactFilters, ContactPredicate } from "../../domain/contact/ContactPredicate.ts"
import { listIdsOf, withoutLists } from "../../domain/contact/predicateLists.ts"
import type { ContactFilterInput, ValidContactFilter } from "../../domain/contact/ContactRequest.ts"
import { parseContactListing, parseContactQuery } from "../../domain/contact/ContactRequest.ts"
import { compileSegment } from "../../domain/contact/Segment.ts"
import type { Page, PageInput, PageRequest } from "../../domain/store/Paging.ts"
import { resourcesMax } from "../../domain/store/Resource.ts"
import type { ContactFilterTooSlow } from "../../domain/contact/ContactFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { ContactBatch } from "./contactScan.ts"
import { firstBatch, makeContactScanner, nextBatchLimit } from "./contactScan.ts"
import { validated, validProject } from "../validated.ts"

/** The most contacts that one query of a stream reads by an index. */
const batchMax = 1000

/** Whether an index supports the filters, so that a page needs no scan. */
const isIndexed = ({ search, emailStatus, listId, segment }: ContactFilters): boolean =>
  search === null && segment === null && (emailStatus === null || listId === null)

export interface ContactReader {
  /** One page of the selected contacts, newest first. Fails with `ContactFilterTooSlow` when a scan takes longer than 5 s. */
  readonly page: (
    caller: Caller,
    input: ContactFilterInput & PageInput
  ) => Effect.Effect<Page<ContactRecord>, ContactFilterTooSlow | InvalidArgument | StoreUnavailable>
  /** All selected contacts, newest first, with constant memory use. */
  readonly stream: (
    caller: Caller,
    query: ContactFilterInput
  ) => Stream.Stream<ContactRecord, InvalidArgument | StoreUnavailable>
}

/** Returns the predicate without the lists that do not exist. No contact is on such a list. */
const withExistingLists = (
  store: MailStoreShape,
  projectId: ProjectId,
  predicate: ContactPredicate
): Effect.Effect<ContactPredicate, StoreUnavailable> => {
  const listIds = [...new Set(listIdsOf(predicate))]
  if (listIds.length === 0) return Effect.succeed(predicate)
  return Effect.map(store.read(listIds.map((id) => ({ _tag: "Resource", projectId, id }) as const)), (lists) =>
    withoutLists(predicate, new Set(listIds.filter((_, n) => lists[n]?.kind !== "list")))
  )
}

/**
 * Returns the filter of a segment in the form that a store evaluates. Returns `null` when the segment does not exist, or when its filter
 * uses a property that is no longer defined. Such a segment selects no contact.
 */
const segmentPredicate = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  segmentId: string
): Effect.fn.Return<ContactPredicate | null, StoreUnavailable> {
  const [segment, properties] = yield* store.read([
    { _tag: "Resource", projectId, id: segmentId },
    { _tag: "Resources", projectId, kind: "property", parent: "", after: null, limit: resourcesMax }
  ])
  if (segment?.kind !== "segment") return null
  const compiled = compileSegment(segment.content.filter, properties)
  return Result.isFailure(compiled) ? null : yield* withExistingLists(store, projectId, compiled.success)
})

/** Returns the filters of a query in the form that a store evaluates, or `null` when no contact can match. */
const filtersOf = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  { segmentId, ...filters }: ValidContactFilter
): Effect.fn.Return<ContactFilters | null, StoreUnavailable> {
  if (filters.listId !== null) {
    const [list] = yield* store.read([{ _tag: "Resource", projectId, id: filters.listId }])
    if (list?.kind !== "list") return null
  }
  if (segmentId === null) return { ...filters, segment: null }
  const segment = yield* segmentPredicate(store, projectId, segmentId)
  return segment === null ? null : { ...filters, segment }
})

export const makeContactReader = (store: MailStoreShape): ContactReader => {
  const scanner = makeContactScanner(store)

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

  const indexedBatch = (projectId: ProjectId, { emailStatus, listId }: ContactFilters, batch: ContactBatch) => {
    const { after } = batch
    const limit = Math.min(batch.limit, batchMax)
    return Effect.map(
      store.read([{ _tag: "ContactPage", projectId, emailStatus, listId, after, skip: 0, limit }]),
      ([items]) => {
        const next = { ...batch, after: items.at(-1)!, limit: nextBatchLimit(items, limit) }
        return [items, items.length < limit ? null : next] as const
      }
    )
  }

  return {
    page: (caller, input) =>
      Effect.gen(function* () {
        const projectId = yield* validProject(caller)
        const { query, page } = yield* validated(parseContactListing, input, "filters")
        const filters = yield* filtersOf(store, projectId, query)
        if (filters === null) return { items: [], total: 0, ...page }
        return yield* isIndexed(filters)
          ? indexedPage(projectId, filters, page)
          : scanner.page(projectId, filters, page)
      }),
    stream: (caller, input) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const projectId = yield* validProject(caller)
          const filters = yield* filtersOf(store, projectId, yield* validated(parseContactQuery, input, "filters"))
          if (filters === null) return Stream.empty
          const read = isIndexed(filters) ? indexedBatch : scanner.batch
          return Stream.paginate(firstBatch, (batch) =>
            Effect.map(read(projectId, filters, batch), ([items, next]) => [items, Option.fromNullOr(next)] as const)
          )
        })
      )
  }
}
