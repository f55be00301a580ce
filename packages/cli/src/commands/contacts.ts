/**
 * `mailkeep contacts`: the contacts of a project, with import and export as CSV. Works beside a running server.
 */
import { createReadStream } from "node:fs"
import type { Contact, ErasureReport, ImportedRow } from "@mailkeep/core"
import { ContactFiles, Contacts, emailStatuses, formatInstant } from "@mailkeep/core"
import { readCsv, writeCsvRow } from "@mailkeep/core/node/csv"
import { Effect, Exit, Option, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json, limit, textFlag, project, search } from "../flags.ts"
import { canBeWritten, FileFailed, isSameFile, onFile, openForWriting, untilStdoutFails } from "../files.ts"
import type { ImportCounts } from "../importReport.ts"
import { importReport } from "../importReport.ts"
import { withCore } from "../commandCore.ts"
import { exitWith, print, printable, table } from "../output.ts"

const contactForOutput = ({
  id,
  email,
  firstName,
  lastName,
  phoneNumber,
  userId,
  emailStatus,
  source,
  createdAt
}: Contact) => ({
  id,
  email,
  firstName,
  lastName,
  phoneNumber,
  userId,
  emailStatus,
  source,
  createdAt: formatInstant(createdAt)
})

const status = Flag.Literals("status", emailStatuses).pipe(
  Flag.withDescription("Show only contacts with this status"),
  Flag.optional,
  Flag.map(Option.getOrNull)
)
const page = Flag.Int("page").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  Flag.withDefault(1),
  Flag.withDescription("The page number, from 1")
)
const contactId = Argument.String("contact-id").pipe(
  Argument.withDescription("The id of the contact, such as con_01h…")
)

const list = Command.make(
  "list",
  { data, project, json, search, status, page, limit },
  ({ data, project, json, search, status: emailStatus, page, limit }) =>
    Effect.gen(function* () {
      const service = yield* Contacts
      const { items, total } = yield* service.list(project, {
        search,
        emailStatus,
        page,
        limit
      })
      const rows = items.map((one) => [one.id, one.email, `${one.firstName} ${one.lastName}`.trim(), one.emailStatus])
      const heading = ["ID", "EMAIL", "NAME", "STATUS"]
      yield* print(
        json,
        { contacts: items.map(contactForOutput), total },
        `${table([heading, ...rows])}\n${total} in all`
      )
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("List contacts, newest first"))

const add = Command.make(
  "add",
  {
    email: Argument.String("email"),
    data,
    project,
    json,
    firstName: textFlag("first-name", "The first name"),
    lastName: textFlag("last-name", "The last name"),
    phoneNumber: textFlag("phone-number", "The phone number"),
    userId: textFlag("user-id", "Your own identifier of the person")
  },
  ({ email, data, project, json, ...optional }) =>
    Effect.gen(function* () {
      const contact = yield* (yield* Contacts).create(project, { email, ...optional })
      yield* print(json, contactForOutput(contact), contact.id)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Add a contact"))

const remove = Command.make("delete", { contactId, data, project, json }, ({ contactId, data, project, json }) =>
  Effect.gen(function* () {
    yield* (yield* Contacts).delete(project, contactId)
    yield* print(json, { id: contactId, deleted: true }, `${contactId} deleted`)
  }).pipe(withCore({ data }))
).pipe(
  Command.withDescription(
    "Delete a contact; a suppression stays in force without the address. The log keeps the mail: see erase"
  )
)

const erasedLine = ({ deleted, redacted, ended, underWay, kept }: ErasureReport): string => {
  const counts = Object.entries(deleted).map(([kind, count]) => [
    kind,
    String(count),
    String(redacted[kind as keyof typeof redacted])
  ])
  return [
    table([["RECORDS", "DELETED", "REDACTED"], ...counts]),
    `${ended} waiting deliveries ended first`,
    ...(kept.suppression ? ["Kept: the suppression, by the keyed hash of the address"] : []),
    ...(kept.resourceIds.length > 0
      ? [`Kept: the address in ${kept.resourceIds.join(", ")}. Change them yourself`]
      : []),
    ...(underWay > 0
      ? [`${underWay} messages to or by the person are still to be sent. Run the command again after that`]
      : [])
  ].join("\n")
}

const erase = Command.make(
  "erase",
  { email: Argument.String("email"), data, project, json },
  ({ email, data, project, json }) =>
    Effect.gen(function* () {
      const report = yield* (yield* Contacts).erase(project, email)
      yield* print(json, report, erasedLine(report))
      if (!report.isComplete) process.exitCode = 2
    }).pipe(withCore({ data }))
).pipe(
  Command.withDescription(
    "Erase a person from all records of the project, by the address. The exit code is 2 when a message is being sent: run it again"
  )
)

const file = Argument.String("file").pipe(Argument.withDescription("A CSV file; - for standard input"))

const update = Flag.Boolean("update").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Update existing contacts; without this flag their lines are refused")
)

const refused = textFlag("refused", "A CSV file for the refused lines and their errors, written when a line is refused")

const countsLine = ({ created, updated, refused, seconds }: ImportCounts): string =>
  `${created} created, ${updated} updated, ${refused} refused in ${seconds} s`

const imported = Command.make(
  "import",
  { file, data, project, update, refused, json },
  ({ file, data, project, update, refused, json }) =>
    Effect.gen(function* () {
      if (refused !== undefined) {
        if (yield* onFile("write", refused, () => isSameFile(file, refused)))
          return yield* exitWith("--refused names the file to import. Give another file for the refused lines")
        yield* canBeWritten(refused)
      }
      const source = file === "-" ? process.stdin : createReadStream(file)
      const report = importReport({ quiet: json, refusedPath: refused })
      const rows = (yield* ContactFiles).importRows(project, readCsv(source), { update })
      const end = yield* Effect.exit(Stream.runForEach(rows, (row: ImportedRow) => report.note(row)))
      const counts = report.end()
      // What was written before a failure stays written, so its counts are printed first.
      if (Exit.isSuccess(end) || counts.created + counts.updated + counts.refused > 0)
        yield* print(json, counts, countsLine(counts))
      if (counts.refused > 0) process.exitCode = 2
      yield* end
    }).pipe(
      Effect.catchTags({
        CsvNotRead: ({ cause }) => Effect.fail(new FileFailed({ act: "read", path: file, cause })),
        MalformedCsv: ({ message }) => exitWith(message)
      }),
      withCore({ data })
    )
).pipe(
  Command.withDescription(
    "Import contacts from CSV. The first line names the columns: email, first_name, last_name, phone_number, user_id, email_status, and custom properties by key. The exit code is 2 when lines were refused, and 1 when the file cannot be read to its end"
  )
)

const exported = Command.make(
  "export",
  { file: Argument.String("file").pipe(Argument.withDefault("-")), data, project, search, status },
  ({ file, data, project, search, status: emailStatus }) =>
    Effect.gen(function* () {
      const write = yield* openForWriting(file)
      // A file gets the cells unchanged; a terminal gets them escaped.
      const shownCells = (cells: ReadonlyArray<string>) =>
        file === "-" && process.stdout.isTTY ? cells.map(printable) : cells
      const rows = (yield* ContactFiles).exportRows(project, { search, emailStatus })
      yield* Stream.runForEachArray(rows, (some) => write(some.map((cells) => writeCsvRow(shownCells(cells))).join("")))
    }).pipe(Effect.scoped, untilStdoutFails, withCore({ data }))
).pipe(Command.withDescription("Export contacts as CSV, newest first, in the format that import reads"))

export const contacts = Command.make("contacts").pipe(
  Command.withDescription("Contacts"),
  Command.withSubcommands([list, add, remove, erase, imported, exported])
)
