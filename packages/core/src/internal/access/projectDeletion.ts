/**
 * Deletes a project in bounded commits, with memory for one page of records. A call that was interrupted is repeated: it continues with what is left.
 * Source: decision 0101.
 */
import { Clock, Effect, Result } from "effect"
import type { DeletionStep } from "../../decide/access/deleteProject.ts"
import { beginDeletion, deleteMessages, deleteRecords, endDeletion } from "../../decide/access/deleteProject.ts"
import type { DeletedRecords, ProjectDeletionReport } from "../../domain/access/ProjectDeletion.ts"
import { addDeleted, deletedKinds, deletionIdOf, nothingDeleted } from "../../domain/access/ProjectDeletion.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Lease } from "../../domain/store/Lease.ts"
import { noLogFilters } from "../../domain/delivery/LogFilters.ts"
import type { RecordKind, StoredRecord, StoredRecordKey } from "../../domain/store/StoredRecord.ts"
import { storedRecordKey } from "../../domain/store/StoredRecord.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { StoreUnavailable } from "../../port/MailStore.ts"
import type { Commit } from "../store/commit.ts"
import { withFacts } from "../store/commit.ts"
import { nextLimit, withFittingPages } from "../store/fittingPages.ts"
import { forEachLoggedMessages } from "../delivery/loggedMessages.ts"
import { recordPage } from "../store/recordPages.ts"

/** The bound of the messages of one commit, by `bytesOfRecord`. */
const messageBytesMax = 8 * 1024 * 1024
/** The messages of the first commit, whose size is unknown. */
const firstMessages = 4
/** A message has up to 50 deliveries. */
const messagesMax = 50
/** How often all kinds are read until nothing is found. Other calls can write records of the project meanwhile. */
const passesMax = 3

/** The kinds of the records of a project. Deliveries, attempts and contents are deleted with their messages. The project itself comes last. */
const walkedKinds = deletedKinds.filter((kind) => kind !== "Project" && kind !== "Delivery")

const deletionQuery = (projectId: ProjectId) => ({ _tag: "Resource", projectId, id: deletionIdOf(projectId) }) as const

/** Fails when the project is being deleted. What creates a project, or what its sends need, calls it before its decision. */
export const failWhileDeleting = (store: MailStoreShape, projectId: ProjectId): Effect.Effect<void, StoreUnavailable> =>
  Effect.flatMap(store.read([deletionQuery(projectId)]), ([deletion]) =>
    deletion === null ? Effect.void : Effect.fail(new StoreUnavailable({ reason: "deleting" }))
  )

interface Deletion {
  readonly store: MailStoreShape
  /** The store, which answers `Records` with fewer records while they are large. */
  readonly pages: MailStoreShape
  readonly commit: Commit
  readonly projectId: ProjectId
  /** The ids of the messages that are being handed over. */
  readonly underWay: Set<string>
  deleted: DeletedRecords
  isEnded: boolean
  /** How many messages the next commit may have. */
  messagesAtOnce: number
}

const record = (deletion: Deletion, { deleted, isEnded }: DeletionStep): void => {
  deletion.deleted = addDeleted(deletion.deleted, deleted)
  deletion.isEnded ||= isEnded
}

const readDeletion = ({ store, projectId }: Deletion) =>
  Effect.map(store.read([deletionQuery(projectId)]), ([deletion]) => deletion)

/** Writes the record of the deletion, and deletes domains and API keys until none is left. */
const begin = (deletion: Deletion): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    const { store, commit, projectId } = deletion
    const load = Effect.gen(function* () {
      const records = [
        ...(yield* recordPage(store, { kind: "Domain", projectId })),
        ...(yield* recordPage(store, { kind: "ApiKey", projectId }))
      ]
      return { now: yield* Clock.currentTimeMillis, deletion: yield* readDeletion(deletion), records }
    })
    while (true) {
      const answer = yield* commit(load, (facts) => Result.succeed(beginDeletion(projectId, facts)), "bounded")
      record(deletion, answer)
      if (answer.deleted.Domain + answer.deleted.ApiKey === 0) return
    }
  })

/** Reads messages with their deliveries, and the leases of the workers that hand them over. */
const loadMessages = (deletion: Deletion, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { store, projectId } = deletion
    const messages = yield* store.read(ids.map((id) => ({ _tag: "Message", projectId, id }) as const))
    const deliveries = yield* store.read(
      ids.map((messageId) => ({ _tag: "DeliveriesOfMessage", projectId, messageId }) as const)
    )
    const workers = new Set(deliveries.flat().flatMap(({ status, worker }) => (status === "sending" ? [worker!] : [])))
    const keys = [...workers].map((worker) => [worker])
    const [leases] = keys.length === 0 ? [[]] : yield* store.read([{ _tag: "RecordsByKey", kind: "Lease", keys }])
    return {
      now: yield* Clock.currentTimeMillis,
      deletion: yield* readDeletion(deletion),
      messages: messages.map((message, n) => ({ message, deliveries: deliveries[n]! })),
      leases: leases.flatMap((one) => (one === null ? [] : [one.record as Lease]))
    }
  })

/** Deletes messages, as many in one commit as their size allows. */
const deleteMessagesOf = (deletion: Deletion, ids: ReadonlyArray<string>): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    for (let from = 0; from < ids.length && !deletion.isEnded;) {
      const part = ids.slice(from, from + deletion.messagesAtOnce)
      const { answer, facts } = yield* deletion.commit(
        loadMessages(deletion, part),
        withFacts(deleteMessages),
        "bounded"
      )
      record(deletion, answer)
      for (const id of part) deletion.underWay.delete(id)
      for (const id of answer.underWay) deletion.underWay.add(id)
      from += part.length
      const found = facts.messages.flatMap(({ message }) =>
        message === null ? [] : [{ kind: "Message", record: message } as const]
      )
      deletion.messagesAtOnce = Math.min(messagesMax, nextLimit(found, deletion.messagesAtOnce, messageBytesMax))
    }
  })

/** Deletes the messages of the page after a key. Returns the page. */
const deleteMessagePage = (deletion: Deletion, after: StoredRecordKey | null) =>
  Effect.gen(function* () {
    const { pages, projectId } = deletion
    const page = yield* recordPage(pages, { kind: "Message", projectId, after })
    yield* deleteMessagesOf(
      deletion,
      page.map(({ record: { id } }) => id)
    )
    return page
  })

/** Deletes the page of records of a kind after a key, in one commit. Returns the page. */
const deletePage = (deletion: Deletion, kind: RecordKind, after: StoredRecordKey | null) =>
  Effect.gen(function* () {
    const { pages, commit, projectId } = deletion
    const load = Effect.zipWith(
      recordPage(pages, { kind, projectId, after }),
      readDeletion(deletion),
      (records, existing) => ({ records, deletion: existing })
    )
    const { answer, facts } = yield* commit(load, withFacts(deleteRecords), "bounded")
    record(deletion, answer)
    return facts.records
  })

/** Deletes all records of a kind, one page after the other. */
const deleteKind = (deletion: Deletion, kind: RecordKind): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    let after: StoredRecordKey | null = null
    while (!deletion.isEnded) {
      const page: ReadonlyArray<StoredRecord> = yield* kind === "Message"
        ? deleteMessagePage(deletion, after)
        : deletePage(deletion, kind, after)
      const last = page.at(-1)
      if (last === undefined) return
      after = storedRecordKey(last)
    }
  })

const countOf = ({ deleted }: Deletion): number => Object.values(deleted).reduce((sum, count) => sum + count, 0)

/** Deletes the records of all kinds until a whole pass finds none. Returns whether it found none. */
const deleteAll = (deletion: Deletion): Effect.Effect<boolean, StoreUnavailable> =>
  Effect.gen(function* () {
    for (let pass = 1; pass <= passesMax; pass++) {
      const before = countOf(deletion)
      for (const kind of walkedKinds) yield* deleteKind(deletion, kind)
      if (countOf(deletion) === before || deletion.isEnded) return true
    }
    return false
  })

/** Makes the deletion of a project. The messages that wait come first, then all other messages, then the other records. */
export const makeProjectDeletion =
  ({ store, commit }: Pick<Deletion, "store" | "commit">) =>
  (projectId: ProjectId): Effect.Effect<ProjectDeletionReport, StoreUnavailable> =>
    Effect.gen(function* () {
      const deletion: Deletion = {
        store,
        pages: withFittingPages(store),
        commit,
        projectId,
        underWay: new Set(),
        deleted: nothingDeleted,
        isEnded: false,
        messagesAtOnce: firstMessages
      }
      yield* begin(deletion)
      for (const status of ["queued", "scheduled", null] as const)
        yield* forEachLoggedMessages(store, { projectId, filters: { ...noLogFilters, status } }, (ids) =>
          deleteMessagesOf(deletion, ids)
        )
      const isEmpty = (yield* deleteAll(deletion)) && deletion.underWay.size === 0
      if (isEmpty && !deletion.isEnded) {
        const load = Effect.map(
          store.read([deletionQuery(projectId), { _tag: "Project", id: projectId }]),
          ([existing, project]) => ({ deletion: existing, project })
        )
        record(deletion, yield* commit(load, (facts) => Result.succeed(endDeletion(facts)), "bounded"))
      }
      const { isEnded, underWay, deleted } = deletion
      return { isComplete: isEnded, underWay: isEnded ? 0 : underWay.size, deleted }
    })
