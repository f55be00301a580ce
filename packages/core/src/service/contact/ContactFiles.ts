/**
 * Imports contacts from a table and exports them to a table, row by row, with constant memory use. A server may run at the same time.
 * Source: decision 0029.
 */
import { Context, Effect, Layer, Result, Sink, Stream } from "effect"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ImportOptions } from "../../domain/contact/ContactFile.ts"
import { exportedColumns, exportedRow, parseImportOptions, readColumns } from "../../domain/contact/ContactFile.ts"
import type { ContactFilterInput } from "../../domain/contact/ContactRequest.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { makeContactImport } from "../../internal/contact/contactImport.ts"
import { makeContactReader } from "../../internal/contact/contactReader.ts"
import type { FileRow, ImportedRow } from "../../internal/contact/importedRow.ts"
import { cellsOf } from "../../internal/contact/importedRow.ts"
import { resourcesOf } from "../../internal/store/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { Secrets } from "../access/Secrets.ts"

export type { FileRow, ImportedRow, RowIssue, RowOutcome } from "../../internal/contact/importedRow.ts"

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
      const properties = resourcesOf({ store, ids }, "property")
      const importContacts = makeContactImport({ store, ids, plans: yield* PlanSource, addressKey })

      const importRows = <E>(caller: Caller, rows: Stream.Stream<FileRow, E>, options: ImportOptions = {}) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { update = false } = yield* validated(parseImportOptions, options)
            const [[first], rest] = yield* Stream.peel(rows, Sink.take<FileRow>(1))
            const projectId = yield* validProject(caller)
            const defined = yield* properties.all(projectId)
            // Without a row, the names of the columns are missing.
            const names = first === undefined ? Result.succeed([]) : cellsOf(first, ["columns"])
            const columns = Result.flatMap(names, (cells) => readColumns(cells, defined))
            if (Result.isFailure(columns))
              return yield* new InvalidArgument({ argument: "input", issues: columns.failure })
            return importContacts({ projectId, columns: columns.success, update }, rest)
          })
        )

      const exportRows = (caller: Caller, query: ContactFilterInput = {}) =>
        Stream.unwrap(
          Effect.map(Effect.flatMap(validProject(caller), properties.all), (defined) =>
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
