/**
 * Imports contacts from a table and exports them to a table, row by row, with constant memory use. A server may run at the same time.
 * Source: decision 0029.
 */
import { Array as Arr, Context, Effect, Layer, Result, Semaphore, Sink, Stream } from "effect"
import type { NewContact } from "../../decide/contact/contact.ts"
import type { CreatedContact } from "../../decide/contact/createContacts.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ContactColumn, ContactOfRow, ImportOptions } from "../../domain/contact/ContactFile.ts"
import {
  exportedColumns,
  exportedRow,
  parseImportOptions,
  readColumns,
  readRow
} from "../../domain/contact/ContactFile.ts"
import type { ContactFilterInput, ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import type { ContactEmailTaken, ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import { canonicalAddress } from "../../domain/message/Address.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { isFields } from "../../domain/value/Fields.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import { makeCreateContacts } from "../../internal/createContacts.ts"
import { makeContactReader } from "../../internal/contactReader.ts"
import { makeKeyOrder } from "../../internal/keyOrder.ts"
import { resourcesOf } from "../../internal/resources.ts"
import { retryWhileBusy } from "../../internal/retryWhileBusy.ts"
import { makeUpdateContact } from "../../internal/updateContact.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { Secrets } from "../access/Secrets.ts"

/** A row of a file, and the number of its last line. */
export interface FileRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** Why the cells of the row cannot be read. Such a row is refused with this text. Absent for a valid row. */
  readonly malformed?: string | undefined
}

/** What became of a row of an imported file. */
export type RowOutcome = "created" | "updated" | "refused"

/** The outcome of one row. */
export interface ImportedRow {
  /** The line of the row. The position of the row, from 1, if it has no number as its line. */
  readonly line: number
  readonly outcome: RowOutcome
  /** Why the row was refused. Empty for a row that was written. */
  readonly issues: ReadonlyArray<Pick<Issue, "path" | "code" | "message">>
}

/** Rows of one commit: enough that they share its reads and its disk sync, and few enough that other callers are not delayed. */
const rowsTogether = 64

/**
 * Groups of rows under way at once: several share a disk sync, while the next ones are read and decided. With more groups, the sends of others wait longer
 * for the sync.
 */
const groupsAtOnce = 8

/** The elements in groups of those that are there, so that none waits for a later one. */
const inGroups = <A, E>(elements: Stream.Stream<A, E>) =>
  elements.pipe(
    Stream.chunks,
    Stream.flatMap((chunk) => Stream.fromIterable(Arr.chunksOf(chunk, rowsTogether)))
  )

/** A row of the file, read as a contact or refused. A cell can be large, and neither keeps it. */
interface ParsedRow {
  readonly line: number
  readonly read: Result.Result<ContactOfRow, ImportedRow["issues"]>
}

/** A row whose contact exists, and is still to be updated. */
interface RowToUpdate {
  readonly line: number
  readonly row: ContactOfRow
}

type RowFailure = InvalidArgument | ContactEmailTaken | ContactNotFound | PlanLimitReached

const issuesOf = (failure: RowFailure): ImportedRow["issues"] =>
  failure._tag === "InvalidArgument"
    ? failure.issues
    : [
        {
          path: failure._tag === "ContactEmailTaken" ? ["email"] : [],
          code: (failure._tag === "PlanLimitReached" ? failure.code : failure.kind) as Issue["code"],
          message: failure.message
        }
      ]

/** The row of a product may have any form. The issue belongs to `path`. */
const cellsOf = (row: unknown, path: Issue["path"]): Result.Result<ReadonlyArray<string>, ReadonlyArray<Issue>> => {
  const refuse = (code: Issue["code"], message: string) => Result.fail([issue(path, code, message)])
  if (!isFields(row) || typeof row["line"] !== "number")
    return refuse("invalid_type", "must be an object with a number as line and an array of strings as cells")
  const { cells, malformed } = row
  if (typeof malformed === "string") return refuse("invalid_value", malformed)
  if (malformed !== undefined) return refuse("invalid_type", "must have a string as malformed")
  return Array.isArray(cells) && cells.every((cell) => typeof cell === "string")
    ? Result.succeed(cells)
    : refuse("invalid_type", "must be an array of strings")
}

/** `position` is the number of a row that has no number as its line. */
const parsedRow = (columns: ReadonlyArray<ContactColumn>, row: unknown, position: number): ParsedRow => ({
  line: isFields(row) && typeof row["line"] === "number" ? row["line"] : position,
  read: Result.flatMap(cellsOf(row, []), (cells) => readRow(columns, cells))
})

/** Adds to each group the position of its first row. The row with the names of the columns has the position 1. */
const positioned = () => {
  let next = 2
  return (rows: ReadonlyArray<FileRow>) => {
    const first = next
    next += rows.length
    return { rows, first }
  }
}

/** The elements of a stream, and a stream that has only its failure. So the elements before a failure are not interrupted by it. */
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

const addressOf = ({ input }: ContactOfRow): string => canonicalAddress(input.email)

const addressesOf = (parsed: ReadonlyArray<ParsedRow>): ReadonlyArray<string> =>
  parsed.flatMap(({ read }) => (Result.isSuccess(read) ? [addressOf(read.success)] : []))

const newContactOf = ({ input, emailStatus }: ContactOfRow): NewContact => ({ input, emailStatus, source: "import" })

/** The change of the contact that a row has the address of. A field that the row does not have is `undefined`. */
const changeOfRow = ({ input, userId, emailStatus }: ContactOfRow) =>
  ({ ...input, userId, emailStatus }) as unknown as ValidUpdateContact

const refused = (line: number, issues: ImportedRow["issues"]): ImportedRow => ({ line, outcome: "refused", issues })

/** The end of a row whose contact was created or refused. A contact that has the address already is still to be updated. */
const endOfRow = (
  line: number,
  row: ContactOfRow,
  created: CreatedContact,
  update: boolean
): ImportedRow | RowToUpdate => {
  if (Result.isSuccess(created)) return { line, outcome: "created", issues: [] }
  return created.failure._tag === "ContactEmailTaken" && update
    ? { line, row }
    : refused(line, issuesOf(created.failure))
}

/**
 * Imports and exports the contacts of a project as rows of cells. `@mailkeep/core/node/csv` reads and writes CSV.
 *
 * @example
 * ```ts
 * import { ContactFiles } from "@mailkeep/core"
 * import { Effect, Stream } from "effect"
 *
 * const rows = Stream.make({ line: 1, cells: ["email", "first_name"] }, { line: 2, cells: ["ada@example.org", "Ada"] })
 * const program = Effect.gen(function* () {
 *   return yield* Stream.runCollect((yield* ContactFiles).importRows("prj_a", rows, { update: true }))
 * })
 * ```
 */
export class ContactFiles extends Context.Service<
  ContactFiles,
  {
    /**
     * Imports contacts, up to 64 rows in one commit. The first row has the names of the columns: `email`, `user_id`, `first_name`, `last_name`,
     * `phone_number`, `email_status`, and custom properties by property key. Each further row is a contact. Rows with one address are written in their
     * order. Emits the outcome of each row, in no particular order. Writes nothing and fails with `InvalidArgument` when the first row is not valid.
     * A failure of `rows` fails the import after the rows before it have ended. Retries for 30 s while the store is unavailable. After an interruption, a second run with `update` leads to the same state.
     */
    readonly importRows: <E>(
      caller: Caller,
      rows: Stream.Stream<FileRow, E>,
      options?: ImportOptions
    ) => Stream.Stream<ImportedRow, E | InvalidArgument | StoreUnavailable>
    /** Exports contacts: a row with the names of the columns, then a row for each contact, newest first. `importRows` can import the rows. */
    readonly exportRows: (
      caller: Caller,
      query?: ContactFilterInput
    ) => Stream.Stream<ReadonlyArray<string>, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/ContactFiles") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    ContactFiles,
    Effect.gen(function* () {
      const store = yield* MailStore
      const reader = makeContactReader(store)
      const ids = yield* IdSource
      const { addressKey } = yield* Secrets
      const resources = resourcesOf({ store, ids }, "property")
      const create = makeCreateContacts({ store, ids, plans: yield* PlanSource, addressKey })
      const createContacts = (projectId: ProjectId, rows: ReadonlyArray<ContactOfRow>) =>
        Effect.flatMap(create(projectId, rows.map(newContactOf)), retryWhileBusy)
      const updateContact = makeUpdateContact({ store, ids, addressKey })
      const definedProperties = (caller: Caller) => Effect.flatMap(validProject(caller), resources.all)

      const turns = Semaphore.makeUnsafe(1)
      /** Continues in a turn of the event loop that no other group has, so that many groups do not block it together. */
      const ownTurn = turns.withPermit(Effect.yieldNow)

      /** Updates the contact of a row, and returns how the row ends. A contact that was deleted in the meantime is created. */
      const updateRow = (
        projectId: ProjectId,
        { line, row }: RowToUpdate
      ): Effect.Effect<ImportedRow, StoreUnavailable> =>
        retryWhileBusy(
          updateContact(projectId, { contactId: null, change: changeOfRow(row), keepsProperties: true })
        ).pipe(
          Effect.as<ImportedRow>({ line, outcome: "updated", issues: [] }),
          Effect.catch((failure) =>
            failure._tag === "StoreUnavailable"
              ? Effect.fail(failure)
              : failure._tag === "ContactNotFound"
                ? createRow(projectId, { line, row })
                : Effect.succeed(refused(line, issuesOf(failure)))
          )
        )

      const createRow = (
        projectId: ProjectId,
        { line, row }: RowToUpdate
      ): Effect.Effect<ImportedRow, StoreUnavailable> =>
        Effect.flatMap(createContacts(projectId, [row]), ([created]) => {
          const end = endOfRow(line, row, created!, true)
          return "row" in end ? updateRow(projectId, end) : Effect.succeed(end)
        })

      /** Reads the rows before they wait, so that large rows take no memory meanwhile. */
      const parseGroup =
        (columns: ReadonlyArray<ContactColumn>) =>
        ({ rows, first }: ReturnType<ReturnType<typeof positioned>>) =>
          Effect.map(ownTurn, () => rows.map((row, n) => parsedRow(columns, row, first + n)))

      const importGroup = (caller: Caller, update: boolean) =>
        Effect.fnUntraced(function* (parsed: ReadonlyArray<ParsedRow>) {
          yield* ownTurn
          const read = parsed.flatMap(({ read }) => (Result.isSuccess(read) ? [read.success] : []))
          const projectId = yield* validProject(caller)
          const created = (yield* createContacts(projectId, read)).values()
          const ends = parsed.map(({ line, read }) =>
            Result.isFailure(read)
              ? refused(line, read.failure)
              : endOfRow(line, read.success, created.next().value!, update)
          )
          const toUpdate = Map.groupBy(
            ends.filter((end) => "row" in end),
            ({ row }) => addressOf(row)
          )
          const updated = yield* Effect.forEach(
            toUpdate.values(),
            (rows) => Effect.forEach(rows, (end) => updateRow(projectId, end)),
            { concurrency: rowsTogether }
          )
          return [...ends.filter((end) => "issues" in end), ...updated.flat()]
        })

      const importRows = <E>(caller: Caller, rows: Stream.Stream<FileRow, E>, options: ImportOptions = {}) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { update = false } = yield* validated(parseImportOptions, options)
            const [[first], rest] = yield* Stream.peel(rows, Sink.take<FileRow>(1))
            const defined = yield* definedProperties(caller)
            // Without a row, the names of the columns are missing.
            const names = first === undefined ? Result.succeed([]) : cellsOf(first, ["columns"])
            const columns = Result.flatMap(names, (cells) => readColumns(cells, defined))
            if (Result.isFailure(columns))
              return yield* new InvalidArgument({ argument: "input", issues: columns.failure })
            const { elements, failure } = withLateFailure(rest)
            const importOne = importGroup(caller, update)
            const inOrder = makeKeyOrder()
            return inGroups(elements).pipe(
              Stream.map(positioned()),
              Stream.mapEffect(parseGroup(columns.success)),
              Stream.flattenIterable,
              Stream.buffer({ capacity: rowsTogether * groupsAtOnce }),
              inGroups,
              Stream.map((parsed) => inOrder(addressesOf(parsed), importOne(parsed))),
              Stream.mapEffect((imported) => imported, { concurrency: groupsAtOnce, unordered: true }),
              Stream.flattenIterable,
              Stream.concat(failure)
            )
          })
        )

      const exportRows = (caller: Caller, query: ContactFilterInput = {}) =>
        Stream.unwrap(
          Effect.map(definedProperties(caller), (defined) =>
            Stream.concat(
              Stream.make(exportedColumns(defined)),
              Stream.map(reader.stream(caller, query), (contact) => exportedRow(contact, defined))
            )
          )
        )

      return { importRows, exportRows }
    })
  )
}
