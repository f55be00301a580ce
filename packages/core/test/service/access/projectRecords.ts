/**
 * Writes and reads the records of a project, and deletes the project.
 */
import { project, send, sendEvents, start, tick } from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import type { RecordKind } from "../../../src/adapter.ts"
import { MailStore, projectIdOf, recordKinds } from "../../../src/adapter.ts"
import {
  ApiKeys,
  ContactLists,
  Contacts,
  Domains,
  Projects,
  Properties,
  Segments,
  Suppressions,
  Templates,
  Webhooks
} from "../../../src/index.ts"

export const scheduledAt = new Date(start + 3_600_000).toISOString()

export const deleteProject = Effect.flatMap(Projects, (projects) => projects.delete(project))

/** The kinds of the records that belong to a project. A new kind of record is one of them. */
export const projectKinds = recordKinds.filter((kind) => kind !== "Setting" && kind !== "Lease")

export const recordsOf = (kind: RecordKind, projectId: string) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(store.read([{ _tag: "Records", kind, projectId: null, after: null, limit: 1000 }]), ([records]) =>
      records.filter((one) => projectIdOf(one) === projectId)
    )
  )

export const allRecordsOf = (projectId: string) =>
  Effect.map(
    Effect.forEach(projectKinds, (kind) => recordsOf(kind, projectId)),
    (all) => all.flat()
  )

/** Writes records of each kind into a project, and mail in every status of the queue. Both projects have the same file. */
export const populate = (projectId: string) =>
  Effect.gen(function* () {
    yield* (yield* Domains).ensure(projectId, { domain: "example.com", verified: true })
    yield* (yield* Domains).create(projectId, { domain: "pending.example" })
    const { secret } = yield* (yield* ApiKeys).create(projectId, { permissions: ["email.send"] })
    yield* (yield* Properties).create(projectId, { key: "plan", type: "string" })
    const list = yield* (yield* ContactLists).create(projectId, { name: "News" })
    const contact = yield* (yield* Contacts).create(projectId, {
      email: "ada@example.org",
      properties: { plan: "gold" }
    })
    yield* (yield* ContactLists).addContact(projectId, list.id, contact.id)
    yield* (yield* Segments).create(projectId, {
      name: "Ada",
      filter: { field: "email", op: "eq", value: "ada@example.org" }
    })
    yield* (yield* Templates).create(projectId, { name: "T", alias: "t", subject: "S", text: "Hi" })
    yield* (yield* Webhooks).create(projectId, { url: "https://hooks.example/a" })
    yield* (yield* Suppressions).addReason(projectId, "bob@example.org", "manual")
    const attachments = [{ filename: "a.txt", content: new Uint8Array([7]) }]
    yield* send("sent", { attachments }, {}, projectId)
    yield* send("suppressed", { to: ["bob@example.org", "eve@example.org"] }, {}, projectId)
    yield* tick
    yield* sendEvents
    yield* send("later", { scheduledAt }, {}, projectId)
    yield* send("waiting", { to: ["x@example.org", "y@example.org"] }, {}, projectId)
    return Redacted.value(secret)
  })
