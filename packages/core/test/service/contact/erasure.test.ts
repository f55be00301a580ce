/**
 * The erasure of a person over whole stores: afterwards no record has the address, and the rest is as before.
 */
import { expectBalanced, project, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { inCommitOrder, MailStore, recordKinds } from "../../../src/adapter.ts"
import { ApiKeys, Contacts, DeliveryLog, Templates } from "../../../src/index.ts"
import { email, erase, populate, recordsOf, recordsWith } from "./erasedPerson.ts"

describe.each(stores)("Contacts.erase, over $name", (store) => {
  it("keeps the contact and the waiting mail of a person whose address ends with the erased one", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const other = yield* contacts.create(project, { email: "o'brien@example.org", userId: "o'brien@example.org" })
        const scheduledAt = new Date(start + 3_600_000).toISOString()
        const { deliveryIds } = yield* send("later", { to: "o'brien@example.org", scheduledAt })
        yield* contacts.erase(project, "brien@example.org")
        expect(yield* contacts.get(project, other.id)).toMatchObject({
          email: "o'brien@example.org",
          userId: "o'brien@example.org"
        })
        expect(yield* contacts.findByEmail(project, "o'brien@example.org")).toMatchObject({ id: other.id })
        expect(yield* (yield* DeliveryLog).get(project, deliveryIds[0]!)).toMatchObject({
          recipient: "o'brien@example.org",
          status: "scheduled"
        })
      })
    ))

  it("leaves no record with the address, keeps the usage right, and keeps the address suppressed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate
        expect((yield* recordsWith(email)).length).toBeGreaterThan(15)
        const report = yield* erase
        expect(yield* recordsWith(email)).toEqual([])
        expect(yield* recordsWith("Lovelace")).toEqual([])
        expect(report).toMatchObject({
          isComplete: true,
          underWay: 0,
          ended: 2,
          kept: { suppression: true, resourceIds: [] }
        })
        expect(report.deleted).toMatchObject({ Contact: 1, Message: 3, Delivery: 3 })
        expect(report.redacted).toMatchObject({ Contact: 1, Message: 2, Delivery: 1 })
        yield* expectBalanced
        const { deliveryIds } = yield* send("again", { to: email })
        expect(yield* (yield* DeliveryLog).get(project, deliveryIds[0]!)).toMatchObject({
          status: "suppressed",
          reason: "manual"
        })
      })
    ))

  it("finds the address in the names of files and in an idempotency key, also where it is joined to a word", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const to = ["bob@example.org", email]
        const file = (filename: string) => ({ filename, content: new Uint8Array([1]) })
        yield* send(`welcome-${email}`, { to, attachments: [file(`invoice_${email}.pdf`)] })
        yield* send(`${email}_2`, { to })
        yield* send("mention", { to: "bob@example.org", attachments: [file(`${email}.pdf`)] })
        yield* tick
        expect(yield* erase).toMatchObject({ isComplete: true, deleted: { Idempotency: 2 }, redacted: { Message: 3 } })
        expect(yield* recordsWith(email)).toEqual([])
      })
    ))

  it("deletes the files of deleted messages, and keeps those of other messages", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate
        yield* send("kept", { attachments: [{ filename: "b.txt", content: new Uint8Array([8]) }] })
        expect(yield* recordsOf("Content")).toHaveLength(2)
        yield* erase
        expect(yield* recordsOf("Content")).toHaveLength(1)
      })
    ))

  it("changes nothing of other people, other projects and other addresses that contain this one", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("longer", { to: `x.${email}` })
        yield* send("bob", { to: "bob@example.org" })
        yield* (yield* Contacts).create("prj_other", { email })
        yield* (yield* Contacts).create(project, { email: `x.${email}` })
        yield* tick
        const before = yield* Effect.forEach(recordKinds, recordsOf)
        const report = yield* erase
        expect(
          Object.values(report.deleted)
            .concat(Object.values(report.redacted))
            .every((count) => count === 0)
        ).toBe(true)
        expect(yield* Effect.forEach(recordKinds, recordsOf)).toEqual(before)
      })
    ))

  it("finds nothing more when it is called again, and says that the suppression is kept", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate
        yield* erase
        const before = yield* Effect.forEach(recordKinds, recordsOf)
        expect(yield* erase).toMatchObject({ isComplete: true, ended: 0, kept: { suppression: true } })
        expect(yield* Effect.forEach(recordKinds, recordsOf)).toEqual(before)
      })
    ))

  it("names a template that contains the address, and keeps it", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* (yield* Templates).create(project, {
          name: "T",
          alias: "t",
          subject: "S",
          text: `Ask ${email}`
        })
        const { kept } = yield* erase
        expect(kept.resourceIds.length).toBeGreaterThan(0)
        expect(yield* (yield* Templates).get(project, id)).toMatchObject({ id })
      })
    ))

  it("names an API key whose name contains the address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        const { apiKey } = yield* apiKeys.create(project, { name: `for ${email}`, permissions: ["email.send"] })
        yield* apiKeys.create(project, { name: "shop", permissions: ["email.send"] })
        expect((yield* erase).kept.resourceIds).toEqual([apiKey.id])
      })
    ))

  it("waits for a hand-off to the person, and finishes in the next call", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mail = yield* MailStore
        const { deliveryIds } = yield* send("k", { to: email })
        const [delivery] = yield* mail.read([{ _tag: "Delivery", projectId: project, id: deliveryIds[0]! }])
        const { id, fencingToken } = delivery!
        const move = (next: Partial<typeof delivery>) =>
          mail.commit(
            inCommitOrder([
              {
                _tag: "TransitionDelivery",
                projectId: project,
                id,
                from: "queued",
                fencingToken,
                next: { ...delivery!, ...next }
              }
            ])
          )
        yield* move({ status: "sending", worker: "w" })
        expect(yield* erase).toMatchObject({ isComplete: false, underWay: 1, ended: 0 })
        expect(yield* recordsOf("Message")).toHaveLength(1)
        yield* mail.commit([
          {
            _tag: "TransitionDelivery",
            projectId: project,
            id,
            from: "sending",
            fencingToken,
            next: { ...delivery!, status: "failed", dueAt: null, worker: null }
          }
        ])
        expect(yield* erase).toMatchObject({ isComplete: true, deleted: { Message: 1 } })
        expect(yield* recordsWith(email)).toEqual([])
      })
    ))

  it("refuses a text that is no address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const failure = yield* Effect.flip((yield* Contacts).erase(project, "ada"))
        expect(failure).toMatchObject({ _tag: "InvalidArgument", issues: [{ path: ["email"], code: "invalid_value" }] })
      })
    ))
})
