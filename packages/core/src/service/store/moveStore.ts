/**
 * Moves all records of one store into another, and proves that both have the same records. Source: decision 0050.
 */
import { Effect } from "effect"
import type { Restoring } from "../../decide/store/restoreRecord.ts"
import { restoreRecord } from "../../decide/store/restoreRecord.ts"
import type { Change } from "../../domain/store/Change.ts"
import { projectIdOfChange } from "../../domain/store/commitOrder.ts"
import { isRecordOfMove, moveLeasesMax } from "../../domain/store/StoreClosure.ts"
import { MoveRefused } from "../../domain/store/MoveRefused.ts"
import type { StoreDigest } from "../../domain/store/StoreDigest.ts"
import { addToDigest, differingKinds, emptyDigests, storeDigestOf } from "../../domain/store/StoreDigest.ts"
import type { RecordKind, StoredRecord } from "../../domain/store/StoredRecord.ts"
import { recordKinds, storedRecordKey } from "../../domain/store/StoredRecord.ts"
import { makeCheckedStore } from "../../internal/store/checkedStore.ts"
import { withFittingPages } from "../../internal/store/fittingPages.ts"
import { forEachRecordPage, recordPage } from "../../internal/store/recordPages.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { checkSourceQuiet, closedDuringMove } from "./closedDuringMove.ts"
import { recordBatches } from "./recordBatches.ts"

/** How far a move is. */
export interface MoveProgress {
  /** `copy` reads the source and writes the target; then `checkTarget` and `checkSource` read each again. */
  readonly phase: "copy" | "checkTarget" | "checkSource"
  readonly kind: RecordKind
  /** The records of this kind so far, in this phase. */
  readonly records: number
}

/** How a store is moved. */
export interface MoveOptions {
  /**
   * Continue a move that was interrupted: the target may have records, each equal to the record of the source under its key. Default: the
   * target must be empty.
   */
  readonly resume?: boolean | undefined
  /** Move although a worker has a live lease in the source. The move is refused at its end if the source changed. Default: refuse. */
  readonly force?: boolean | undefined
  /**
   * Closes the source. While the move runs, no process can write into the source; when the move has ended, the source stays closed for good. A write
   * then fails with `StoreUnavailable`, reason `moving` or `moved`. The value is the location of the target without a password. Everyone who opens the
   * source reads it. While the move runs, and after a move that failed, the target is closed too. Default: both stores stay open.
   */
  readonly closeSource?: string | undefined
  /** Runs after each page of at most 2,000 records. */
  readonly onProgress?: ((progress: MoveProgress) => Effect.Effect<void>) | undefined
}

/** What was moved. */
export interface MoveReport {
  /** The digest of the source and of the target. They are equal. */
  readonly digest: StoreDigest
  /** The number of records of all kinds. */
  readonly records: number
  /** The number of records that this move wrote. The target had the others before. */
  readonly written: number
}

const silent = () => Effect.void

/** The records of a page. Few pages mean few commits, each of which waits for the disk. */
const pageRecords = 2000
/** Records that can be large: a content of 20 MiB, a message or a template with long bodies, a contact with 200 properties. A page can have fewer. */
const largePages: Partial<Readonly<Record<RecordKind, number>>> = {
  Content: 1,
  Message: 100,
  Resource: 20,
  Contact: 500
}
/** Every store takes so many commits at once. */
const commitsAtOnceMax = 200

type OnProgress = (progress: MoveProgress) => Effect.Effect<void, StoreUnavailable>

/** Reads all records of a store, and returns their digest. */
const digestOf = (store: MailStoreShape, phase: MoveProgress["phase"], onProgress: OnProgress) =>
  readAllRecords(store, phase, onProgress, () => Effect.void)

/** Reads all records of a store, runs an effect for each page, and returns the digest. */
const readAllRecords = <E>(
  store: MailStoreShape,
  phase: MoveProgress["phase"],
  onProgress: OnProgress,
  onPage: (kind: RecordKind, records: ReadonlyArray<StoredRecord>) => Effect.Effect<void, E>
): Effect.Effect<StoreDigest, E | StoreUnavailable, Crypto> =>
  Effect.gen(function* () {
    const { sha256 } = yield* Crypto
    const kinds = { ...emptyDigests }
    const pages = withFittingPages(store)
    for (const kind of recordKinds)
      yield* forEachRecordPage(pages, { kind, projectId: null, limit: largePages[kind] ?? pageRecords }, (page) =>
        Effect.gen(function* () {
          const records = page.filter((record: StoredRecord) => !isRecordOfMove(record))
          yield* onPage(kind, records)
          kinds[kind] = addToDigest(kinds[kind], records, sha256)
          yield* onProgress({ phase, kind, records: kinds[kind].count })
        })
      )
    return storeDigestOf(kinds, sha256)
  })

/**
 * Returns the digest of a store: the number of records of each kind, and their hash. Two stores with the same records have the same digest,
 * whatever their adapters are. Reads the store page by page, with memory for one page.
 */
export const digestStore = (store: MailStoreShape): Effect.Effect<StoreDigest, StoreUnavailable, Crypto> =>
  digestOf(makeCheckedStore(store), "checkSource", silent)

const checkTargetEmpty = Effect.fnUntraced(function* (to: MailStoreShape) {
  for (const kind of recordKinds) {
    const records: ReadonlyArray<StoredRecord> = yield* recordPage(to, {
      kind,
      projectId: null,
      limit: moveLeasesMax + 1
    })
    if (!records.every(isRecordOfMove)) return yield* new MoveRefused({ reason: "target_not_empty", kinds: [kind] })
  }
})

const keyText = (record: StoredRecord): string => JSON.stringify(storedRecordKey(record))

/** The records of the target under the keys of some records of the source. Only a resumed move finds some. */
const existingIn = (
  to: MailStoreShape,
  kind: RecordKind,
  records: ReadonlyArray<StoredRecord>
): Effect.Effect<ReadonlyMap<string, StoredRecord>, StoreUnavailable> =>
  Effect.map(
    to.read([{ _tag: "RecordsByKey", kind, keys: records.map(storedRecordKey) }]),
    ([found]) => new Map(found.flatMap((record) => (record === null ? [] : [[keyText(record), record]])))
  )

/** How `copyAndCompare` reports what it does. */
interface CopyHooks {
  readonly onProgress: OnProgress
  /** Runs before each batch is written. */
  readonly renew: Effect.Effect<void, StoreUnavailable>
  /** Gets the number of records of a batch that the target lacks, before the first of them is written. */
  readonly onWrite: (records: number) => void
}

/** Writes some records of one kind into the target. */
const writeBatch = (
  to: MailStoreShape,
  kind: RecordKind,
  records: ReadonlyArray<StoredRecord>,
  existing: ReadonlyMap<string, StoredRecord>,
  onWrite: CopyHooks["onWrite"]
): Effect.Effect<void, MoveRefused | StoreUnavailable> =>
  Effect.gen(function* () {
    const restored = records.map((record) => restoreRecord(record, existing.get(keyText(record))))
    if (restored.includes(null)) return yield* new MoveRefused({ reason: "target_not_empty", kinds: [kind] })
    const steps = restored as ReadonlyArray<Restoring>
    const commit = (changes: ReadonlyArray<Change>) =>
      Effect.forEach(Map.groupBy(changes, projectIdOfChange).values(), (own) => to.commit(own), {
        concurrency: commitsAtOnceMax,
        discard: true
      }).pipe(
        Effect.catchTag("Conflict", () => Effect.fail(new MoveRefused({ reason: "target_not_empty", kinds: [kind] })))
      )
    onWrite(steps.filter(({ first, second }) => first.length + second.length > 0).length)
    yield* commit(steps.flatMap(({ first }) => first))
    yield* commit(steps.flatMap(({ second }) => second))
  })

/** Copies all records, and compares what both stores have then. */
const copyAndCompare = (
  source: MailStoreShape,
  target: MailStoreShape,
  resume: boolean,
  hooks: CopyHooks
): Effect.Effect<StoreDigest, MoveRefused | StoreUnavailable, Crypto> =>
  Effect.gen(function* () {
    const { onProgress, renew, onWrite } = hooks
    const copied = yield* readAllRecords(source, "copy", onProgress, (kind, records) =>
      Effect.gen(function* () {
        for (const batch of recordBatches(records)) {
          yield* renew
          const existing = resume ? yield* existingIn(target, kind, batch) : new Map<string, StoredRecord>()
          yield* writeBatch(target, kind, batch, existing, onWrite)
        }
      })
    )
    const inTarget = yield* digestOf(target, "checkTarget", onProgress)
    const inSource = yield* digestOf(source, "checkSource", onProgress)
    if (inSource.sha256 !== copied.sha256)
      return yield* new MoveRefused({ reason: "source_changed", kinds: differingKinds(inSource, copied) })
    if (inTarget.sha256 !== copied.sha256)
      return yield* new MoveRefused({ reason: "target_differs", kinds: differingKinds(inTarget, copied) })
    return copied
  })

/**
 * Copies every record of the store `from` into the store `to`, page by page, with memory for one page. Then reads both stores again and
 * compares their digests. Without `closeSource`, the source is only read, and neither store may be used by another process meanwhile.
 *
 * Needs the `Clock` by which the processes of the source set their leases. For a source in PostgreSQL, it is the clock of the server, which the layer of
 * `sharedServices` of `@mailkeep/postgres` provides. The clock of the target is not needed.
 *
 * Fails with `MoveRefused` when the target has records, or when a worker has a live lease in the source. Fails with it at the end when the
 * source changed during the move, or when the target returns other records than were written. After a failure the target is incomplete: delete
 * the target, or move again with `resume`.
 */
export const moveStore = (
  from: MailStoreShape,
  to: MailStoreShape,
  options: MoveOptions = {}
): Effect.Effect<MoveReport, MoveRefused | StoreUnavailable, Crypto> =>
  Effect.gen(function* () {
    const { resume = false, force = false, closeSource, onProgress = silent } = options
    const [source, target] = [makeCheckedStore(from), makeCheckedStore(to)]
    if (!resume) yield* checkTargetEmpty(target)
    if (!force && closeSource === undefined) yield* checkSourceQuiet(source)
    let written = 0
    const onWrite = (records: number) => {
      written += records
    }
    const copy = (renew: Effect.Effect<void, StoreUnavailable>) =>
      copyAndCompare(source, target, resume, {
        onProgress: (progress) => Effect.andThen(renew, onProgress(progress)),
        renew,
        onWrite
      })
    const digest = yield* closeSource === undefined
      ? copy(Effect.void)
      : closedDuringMove({ source, target, to: closeSource, resume, force, written: () => written }, copy)
    const records = recordKinds.reduce((sum, kind) => sum + digest.kinds[kind].count, 0)
    return { digest, records, written }
  }).pipe(Effect.withSpan("moveStore"))
