/**
 * Imports contacts from a table and exports them to a table, row by row, with constant memory use. A server may run at the same time.
 * Source: decision 0029.
 */
import { Context, Effect, Layer, Result, Schedule, Sink, Stream } from "effect"
import type { ContactColumn, ContactOfRow, ImportOptions } from "../../domain/contact/ContactFile.ts"
import {
  exportedColumns,
  exportedRow,
  parseImportOptions,
  readColumns,
  readRow
} from "../../domain/contact/ContactFile.ts"
import type { ContactFilterInput } from "../../domain/contact/ContactRequest.ts"
import type { ContactEmailTaken, ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import { makeContactReader } from "../../internal/contactReader.ts"
import { resourcesOf } from "../../internal/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Contacts } from "./Contacts.ts"

/** A row of a file, and the number of its last line. */
export interface FileRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** What became of a row of an imported file. */
export type RowOutcome = "created" | "updated" | "refused"

/** The outcome of one row. */
export interface ImportedRow {
  readonly line: number
  readonly outcome: RowOutcome
  /** Why the row was refused. Empty for a row that was written. */
  readonly issues: ReadonlyArray<Pick<Issue, "path" | "code" | "message">>
}

/** Rows under way at once: enough that their commits share disk syncs, and few enough that other callers are not delayed. */
const rowsAtOnce = 64

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

const busySchedule = Schedule.min([Schedule.exponential("20 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "30 seconds" })
)

const isBusy = (failure: unknown): boolean => {
  const { _tag, isRetryable, reason } = failure as Partial<StoreUnavailable>
  return _tag === "StoreUnavailable" && isRetryable === true && reason !== "full"
}

/** Retries for up to 30 s while the store is temporarily unavailable. Almost every row succeeds at once, and then costs no retry. */
const retryWhileBusy = <A, E>(effect: Effect.Effect<A, E | StoreUnavailable>): Effect.Effect<A, E | StoreUnavailable> =>
  Effect.catch(effect, (failure) =>
    isBusy(failure) ? Effect.retry(effect, { schedule: busySchedule, while: isBusy }) : Effect.fail(failure)
  )

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
     * Imports contacts, 64 rows at once. The first row has the names of the columns: `email`, `user_id`, `first_name`, `last_name`, `phone_number`,
     * `email_status`, and custom properties by property key. Each further row is a contact. Emits the outcome of each row, in no particular
     * order. Writes nothing and fails with `InvalidArgument` when the first row is not valid. Retries for 30 s
     * while the store is unavailable. After an interruption, a second run with `update` leads to the same state.
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
      const contacts = yield* Contacts
      const store = yield* MailStore
      const reader = makeContactReader(store)
      const resources = resourcesOf({ store, ids: yield* IdSource }, { kind: "property", record: "property" })
      const definedProperties = (caller: Caller) => Effect.flatMap(validProject(caller), resources.all)

      const updateContact = Effect.fnUntraced(function* (caller: Caller, { input, emailStatus }: ContactOfRow) {
        const existing = yield* contacts.findByEmail(caller, input.email)
        if (existing === null) return
        // Properties without a column in the file keep their values.
        const properties =
          input.properties === undefined
            ? undefined
            : { ...(yield* contacts.get(caller, existing.id)).properties, ...input.properties }
        yield* contacts.update(caller, existing.id, { ...input, properties, emailStatus })
      })

      const writeRow = (
        caller: Caller,
        row: ContactOfRow,
        update: boolean
      ): Effect.Effect<RowOutcome, RowFailure | StoreUnavailable> =>
        contacts.create(caller, row.input, { source: "import" }).pipe(
          Effect.flatMap(() => (row.emailStatus === "unsubscribed" ? updateContact(caller, row) : Effect.void)),
          Effect.as("created" as const),
          Effect.catchTag("ContactEmailTaken", (taken) =>
            update ? Effect.as(updateContact(caller, row), "updated" as const) : Effect.fail(taken)
          )
        )

      const importRow = (caller: Caller, columns: ReadonlyArray<ContactColumn>, update: boolean) =>
        Effect.fnUntraced(function* ({ line, cells }: FileRow): Effect.fn.Return<ImportedRow, StoreUnavailable> {
          if (!Array.isArray(cells) || !cells.every((cell) => typeof cell === "string"))
            return { line, outcome: "refused", issues: [issue([], "invalid_type", "must be an array of strings")] }
          const row = readRow(columns, cells)
          if (Result.isFailure(row)) return { line, outcome: "refused", issues: row.failure }
          const outcome = yield* Effect.result(retryWhileBusy(writeRow(caller, row.success, update)))
          if (Result.isSuccess(outcome)) return { line, outcome: outcome.success, issues: [] }
          const { failure } = outcome
          if (failure._tag === "StoreUnavailable") return yield* failure
          return { line, outcome: "refused", issues: issuesOf(failure) }
        })

      const importRows = <E>(caller: Caller, rows: Stream.Stream<FileRow, E>, options: ImportOptions = {}) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { update = false } = yield* validated(parseImportOptions, options)
            const [[first], rest] = yield* Stream.peel(rows, Sink.take<FileRow>(1))
            const defined = yield* definedProperties(caller)
            const columns = readColumns(first?.cells ?? [], defined)
            if (Result.isFailure(columns))
              return yield* new InvalidArgument({ argument: "input", issues: columns.failure })
            return Stream.mapEffect(rest, importRow(caller, columns.success, update), {
              concurrency: rowsAtOnce,
              unordered: true
            })
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
