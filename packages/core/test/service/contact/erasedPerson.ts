/**
 * A person with records of each kind, the erasure of the person, and the records that are left.
 */
import { project, send, start, tick } from "@mailkeep/test-support"
import { Effect } from "effect"
import type { RecordKind, StoredRecord } from "../../../src/adapter.ts"
import { MailStore, recordKinds, storedRecordKey } from "../../../src/adapter.ts"
import { Contacts, Suppressions } from "../../../src/index.ts"

export const email = "Ada.Lovelace@Example.org"
export const erase = Effect.flatMap(Contacts, (contacts) => contacts.erase(project, email))

export const recordsOf = (kind: RecordKind) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(
      store.read([{ _tag: "Records", kind, projectId: null, after: null, limit: 1000 }]),
      ([records]) => records
    )
  )

/** The keys of all records of the store that contain a text, in any case. */
export const recordsWith = (text: string) =>
  Effect.map(Effect.forEach(recordKinds, recordsOf), (all) =>
    all
      .flat()
      .filter((record: StoredRecord) => JSON.stringify(record).toLowerCase().includes(text.toLowerCase()))
      .map((record: StoredRecord) => `${record.kind}/${storedRecordKey(record).join("/")}`)
  )

/** Everything that a project can know of a person: one record of each kind, and mail in every status. */
export const populate = Effect.gen(function* () {
  const contacts = yield* Contacts
  const ada = yield* contacts.create(project, { email, firstName: "Ada", lastName: "Lovelace", userId: "u-1" })
  yield* contacts.update(project, ada.id, { email, phoneNumber: "+44 20" })
  yield* contacts.create(project, { email: "bob@example.org", userId: `friend of ${email}` })
  yield* send("own", {
    to: email,
    text: `Dear ${email}`,
    attachments: [{ filename: "a.txt", content: new Uint8Array([7]) }]
  })
  yield* send(`welcome:${email}`, {
    to: [email, "bob@example.org"],
    html: `<p>${email} and bob</p>`,
    metadata: { for: email }
  })
  yield* send("mention", { to: "bob@example.org", text: `${email.toUpperCase()} says hi` })
  yield* tick
  yield* send("later", { to: email, scheduledAt: new Date(start + 3_600_000).toISOString() })
  yield* send("waiting", { to: email })
  yield* (yield* Suppressions).addReason(project, email, "manual")
  return ada
})
