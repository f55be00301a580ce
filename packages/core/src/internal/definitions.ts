/**
 * Reads and writes the definitions of one kind.
 */
import { Clock, Effect, Result } from "effect"
import type { Decision } from "../decide/Decision.ts"
import type { Making, PuttingFacts } from "../decide/definition.ts"
import { define, redefine, undefine } from "../decide/definition.ts"
import type { DefinitionKind, DefinitionOf } from "../domain/Definition.ts"
import { definitionsMax } from "../domain/Definition.ts"
import type { InvalidArgument, NameTaken, RecordName, TooManyRecords } from "../domain/Failure.ts"
import { RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest, Position } from "../domain/Paging.ts"
import { parsePageRequest } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { decideAndCommit } from "./decideAndCommit.ts"
import { validated, validIds } from "./validated.ts"

export interface DefinitionParts {
  readonly store: MailStoreShape
  readonly ids: IdSource["Service"]
}

/** What a change of a definition asks for. */
export interface Changing<K extends DefinitionKind> {
  readonly name: string | null
  readonly content: DefinitionOf<K>["content"]
}

export const definitionsOf = <K extends DefinitionKind>(
  { store, ids }: DefinitionParts,
  { kind, record, field }: { readonly kind: K; readonly record: RecordName; readonly field: string }
) => {
  const ofKind = (found: { readonly kind: DefinitionKind } | null): DefinitionOf<K> | null =>
    found?.kind === kind ? (found as DefinitionOf<K>) : null

  /** Newest first. */
  const all = (
    projectId: ProjectId,
    parent = "",
    after: Position | null = null,
    limit = definitionsMax
  ): Effect.Effect<ReadonlyArray<DefinitionOf<K>>, StoreUnavailable> =>
    Effect.map(
      store.read([{ _tag: "Definitions", projectId, kind, parent, after, limit }]),
      ([found]) => found as ReadonlyArray<DefinitionOf<K>>
    )

  /** One page of them, newest first. */
  const page = (
    projectId: ProjectId,
    request: PageRequest
  ): Effect.Effect<Page<DefinitionOf<K>>, InvalidArgument | StoreUnavailable> =>
    Effect.gen(function* () {
      yield* validIds({ projectId })
      const page = yield* validated(parsePageRequest, request, "query")
      const [{ items, total }] = yield* store.read([{ _tag: "DefinitionPage", projectId, kind, parent: "", page }])
      return { items: items as ReadonlyArray<DefinitionOf<K>>, total, ...page }
    })

  const get = (
    projectId: ProjectId,
    id: string
  ): Effect.Effect<DefinitionOf<K>, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.gen(function* () {
      yield* validIds({ projectId, id })
      const [found] = yield* store.read([{ _tag: "Definition", projectId, id }])
      return ofKind(found) ?? (yield* new RecordNotFound({ record, id }))
    })

  const named = (projectId: ProjectId, parent: string, name: string | null) =>
    ({ _tag: "DefinitionNamed", projectId, kind, parent, name: name ?? "" }) as const

  const create = (
    projectId: ProjectId,
    asked: Omit<Making<K>, "kind" | "record" | "field">
  ): Effect.Effect<DefinitionOf<K>, NameTaken | TooManyRecords | StoreUnavailable> =>
    Effect.gen(function* () {
      const { parent = "", name } = asked
      const now = yield* Clock.currentTimeMillis
      const block = yield* ids.reserve(now, 1)
      return yield* decideAndCommit(
        store,
        store.read([named(projectId, parent, name), { _tag: "DefinitionCount", projectId, kind, parent }]),
        ([standing, count]) =>
          define({ ...asked, kind, record, field }, { now, ids: block, projectId, named: standing, count })
      )
    })

  /** `change` says what it becomes, from what stands. */
  const update = <E = never>(
    projectId: ProjectId,
    id: string,
    nameAsked: string | null,
    change: (standing: DefinitionOf<K>, facts: PuttingFacts) => Result.Result<Changing<K>, E>
  ): Effect.Effect<DefinitionOf<K>, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable | E> =>
    Effect.gen(function* () {
      yield* validIds({ projectId, id })
      const now = yield* Clock.currentTimeMillis
      return yield* decideAndCommit(
        store,
        store.read([{ _tag: "Definition", projectId, id }, named(projectId, "", nameAsked)]),
        ([found, holder]): Result.Result<Decision<DefinitionOf<K>>, RecordNotFound | NameTaken | E> => {
          const standing = ofKind(found)
          if (standing === null) return Result.fail(new RecordNotFound({ record, id }))
          const facts: PuttingFacts = { now, named: nameAsked === null ? null : holder }
          return Result.flatMap(change(standing, facts), (after) =>
            redefine({ ...after, record, field }, standing, facts)
          )
        }
      )
    })

  const remove = (
    projectId: ProjectId,
    id: string
  ): Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable> =>
    Effect.andThen(
      validIds({ projectId, id }),
      decideAndCommit(store, store.read([{ _tag: "Definition", projectId, id }]), ([found]) =>
        undefine(record, id, ofKind(found))
      )
    )

  return { all, page, get, create, update, remove }
}
