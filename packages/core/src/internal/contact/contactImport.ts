/**
 * Imports rows as contacts: reads them, and creates or updates the contacts of many rows in one commit. Source: decision 0029.
 */
import { Array as Arr, Effect, Result, Semaphore, Stream } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactColumn, ContactOfRow } from "../../domain/contact/ContactFile.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import type { FileRow, ImportedRow, ParsedRow, RowToUpdate } from "./importedRow.ts"
import {
  addressOfRow,
  endOfRow,
  failedRow,
  newContactOf,
  parsedRow,
  refusedRow,
  updatedRow,
  updateOf
} from "./importedRow.ts"
import { makeKeyOrder } from "./keyOrder.ts"
import { retryWhileBusy } from "./retryWhileBusy.ts"
import { makeUpdateContact } from "./updateContact.ts"
import type { WriteContactsDeps } from "./writeContacts.ts"
import { makeWriteContacts } from "./writeContacts.ts"

/** Rows of one commit: enough that they share its reads and its disk sync, and few enough that other callers are not delayed. */
const rowsTogether = 64

/**
 * Groups of rows under way at once: several share a disk sync, while the next ones are read and decided. With more groups, the sends of others wait longer
 * for the sync.
 */
const groupsAtOnce = 8

/** Divides the elements into groups. A group has what is there already, so that no element waits for a later one. */
const inGroups = <A, E>(elements: Stream.Stream<A, E>) =>
  elements.pipe(
    Stream.chunks,
    Stream.flatMap((chunk) => Stream.fromIterable(Arr.chunksOf(chunk, rowsTogether)))
  )

/** Adds to each group the position of its first row. The row with the names of the columns has the position 1. */
const positioned = () => {
  let next = 2
  return (rows: ReadonlyArray<FileRow>) => {
    const first = next
    next += rows.length
    return { rows, first }
  }
}

/** Separates the failure of a stream from its elements, so that the failure does not interrupt the work on the elements before it. */
const withLateFailure = <A, E, R>(stream: Stream.Stream<A, E, R>) => {
  let failure: Stream.Stream<never, E> = Stream.empty
  return {
    elements: Stream.catchCause(stream, (cause) => {
      failure = Stream.failCause(cause)
      return Stream.empty
    }),
    failure: Stream.suspend(() => failure)
  }
}

const addressesOf = (parsed: ReadonlyArray<ParsedRow>): ReadonlyArray<string> =>
  parsed.flatMap(({ read }) => (Result.isSuccess(read) ? [addressOfRow(read.success)] : []))

/** How the rows of one import become contacts. */
export interface ContactImport {
  readonly projectId: ProjectId
  readonly columns: ReadonlyArray<ContactColumn>
  /** Whether a row with the address of an existing contact updates the contact. Otherwise the row is refused. */
  readonly update: boolean
}

/**
 * Makes the function that imports the rows after the names of the columns. It emits the outcome of each row, in no particular order. The rows with one
 * address are written in their order.
 */
export const makeContactImport = ({ store, ids, plans, addressKey }: WriteContactsDeps) => {
  const write = makeWriteContacts({ store, ids, plans, addressKey })
  const writeContacts = (projectId: ProjectId, rows: ReadonlyArray<ContactOfRow>, update: boolean) =>
    Effect.flatMap(
      write(
        projectId,
        rows.map((row) => ({ contact: newContactOf(row), update: update ? updateOf(row) : null }))
      ),
      retryWhileBusy
    )
  const updateContact = makeUpdateContact({ store, ids, addressKey })

  const turns = Semaphore.makeUnsafe(1)
  /** Continues in a turn of the event loop that no other group has, so that many groups do not block it together. */
  const ownTurn = turns.withPermit(Effect.yieldNow)

  /** Updates the contact of a row, and returns how the row ends. A contact that was deleted in the meantime is created. */
  const updateRow = (projectId: ProjectId, { line, row }: RowToUpdate): Effect.Effect<ImportedRow, StoreUnavailable> =>
    retryWhileBusy(updateContact(projectId, { contactId: null, change: updateOf(row), keepsProperties: true })).pipe(
      Effect.as(updatedRow(line)),
      Effect.catch((failure) =>
        failure._tag === "StoreUnavailable"
          ? Effect.fail(failure)
          : failure._tag === "ContactNotFound"
            ? createRow(projectId, { line, row })
            : Effect.succeed(failedRow(line, failure))
      )
    )

  const createRow = (projectId: ProjectId, row: RowToUpdate): Effect.Effect<ImportedRow, StoreUnavailable> =>
    Effect.flatMap(writeContacts(projectId, [row.row], true), ([result]) => {
      const end = endOfRow(row, result!, true)
      return "row" in end ? updateRow(projectId, end) : Effect.succeed(end)
    })

  /** Reads the rows before they wait, so that large rows take no memory meanwhile. */
  const parseGroup =
    (columns: ReadonlyArray<ContactColumn>) =>
    ({ rows, first }: ReturnType<ReturnType<typeof positioned>>) =>
      Effect.map(ownTurn, () => rows.map((row, n) => parsedRow(columns, row, first + n)))

  const importGroup = Effect.fnUntraced(function* (
    { projectId, update }: ContactImport,
    parsed: ReadonlyArray<ParsedRow>
  ) {
    yield* ownTurn
    const read = parsed.flatMap(({ read }) => (Result.isSuccess(read) ? [read.success] : []))
    const results = (yield* writeContacts(projectId, read, update)).values()
    const ends = parsed.map(({ line, read }) =>
      Result.isFailure(read)
        ? refusedRow(line, read.failure)
        : endOfRow({ line, row: read.success }, results.next().value!, update)
    )
    const toUpdate = Map.groupBy(
      ends.filter((end) => "row" in end),
      ({ row }) => addressOfRow(row)
    )
    const updated = yield* Effect.forEach(
      toUpdate.values(),
      (rows) => Effect.forEach(rows, (end) => updateRow(projectId, end)),
      { concurrency: rowsTogether }
    )
    return [...ends.filter((end) => "issues" in end), ...updated.flat()]
  })

  return <E>(
    options: ContactImport,
    rows: Stream.Stream<FileRow, E>
  ): Stream.Stream<ImportedRow, E | StoreUnavailable> => {
    const { elements, failure } = withLateFailure(rows)
    const inOrder = makeKeyOrder()
    return inGroups(elements).pipe(
      Stream.map(positioned()),
      Stream.mapEffect(parseGroup(options.columns)),
      Stream.flattenIterable,
      Stream.buffer({ capacity: rowsTogether * groupsAtOnce }),
      inGroups,
      Stream.map((parsed) => inOrder(addressesOf(parsed), importGroup(options, parsed))),
      Stream.mapEffect((imported) => imported, { concurrency: groupsAtOnce, unordered: true }),
      Stream.flattenIterable,
      Stream.concat(failure)
    )
  }
}
