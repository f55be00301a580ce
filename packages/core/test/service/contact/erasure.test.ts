/**
 * The erasure of a person over whole stores: afterwards no record has the address, and the rest is as before.
 */
import { events, expectBalanced, project, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { makeFailingStore } from "@mailkeep/test-support/failingStore"
import { makeInterleavedStore } from "@mailkeep/test-support/interleavedStore"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Query, RecordKind, StoredRecord } from "../../../src/adapter.ts"
import { inCommitOrder, MailStore, recordKinds, storedRecordKey } from "../../../src/adapter.ts"
import { ApiKeys, Contacts, DeliveryLog, Feedback, Sending, Suppressions, Templates } from "../../../src/index.ts"

const email = "Ada.Lovelace@Example.org"
const erase = Effect.flatMap(Contacts, (contacts) => contacts.erase(project, email))

const recordsOf = (kind: RecordKind) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(
      store.read([{ _tag: "Records", kind, projectId: null, after: null, limit: 1000 }]),
      ([records]) => records
    )
  )

/** The keys of all records of the store that contain a text, in any case. */
const recordsWith = (text: string) =>
  Effect.map(Effect.forEach(recordKinds, recordsOf), (all) =>
    all
      .flat()
      .filter((record: StoredRecord) => JSON.stringify(record).toLowerCase().includes(text.toLowerCase()))
      .map((record: StoredRecord) => `${record.kind}/${storedRecordKey(record).join("/")}`)
  )

/** Everything that a project can know of a person: one record of each kind, and mail in every status. */
const populate = Effect.gen(function* () {
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

  it("suppresses nothing and stores no text when a bounce of a shared message arrives after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("s", { to: [email, "bob@example.org"] })
        yield* tick
        yield* erase
        const suppressions = yield* recordsOf("Suppression")
        const bounce = { kind: "bounced", enhancedCode: "5.1.1", text: `<${email}>: user unknown` } as const
        expect(yield* (yield* Feedback).report(project, deliveryIds[0]!, bounce)).toMatchObject({ status: "bounced" })
        yield* (yield* Feedback).report(project, deliveryIds[0]!, { ...bounce, kind: "complained" })
        expect(yield* recordsOf("Suppression")).toEqual(suppressions)
        expect(yield* recordsWith(email)).toEqual([])
        yield* (yield* Feedback).report(project, deliveryIds[1]!, bounce)
        expect(yield* recordsOf("Suppression")).toHaveLength(suppressions.length + 1)
      })
    ))

  it("lets a shared message be rescheduled and canceled after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const at = new Date(start + 3_600_000).toISOString()
        const { messageId, deliveryIds } = yield* send("s", { to: [email, "bob@example.org"], scheduledAt: at })
        yield* erase
        yield* sending.reschedule(project, messageId, start + 7_200_000)
        yield* TestClock.adjust("1 hour")
        yield* tick
        const canceled = yield* sending.cancel(project, messageId)
        expect(canceled).toEqual({ messageId, canceledAt: start + 3_600_000, deliveryIds })
        expect(yield* sending.cancel(project, messageId)).toEqual(canceled)
        yield* expectBalanced
        yield* TestClock.adjust("2 hours")
        yield* tick
        expect((yield* (yield* DeliveryLog).list(project)).items.map(({ status }) => status)).toEqual([
          "canceled",
          "canceled"
        ])
      })
    ))

  it("sends a shared message to the others after the person was erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const at = new Date(start + 3_600_000).toISOString()
        const { deliveryIds } = yield* send("s", { to: [email, "bob@example.org"], scheduledAt: at })
        yield* erase
        yield* TestClock.adjust("2 hours")
        yield* tick
        const log = yield* DeliveryLog
        expect(yield* log.get(project, deliveryIds[0]!)).toMatchObject({
          status: "canceled",
          recipient: "erased@erased.invalid"
        })
        expect(yield* log.get(project, deliveryIds[1]!)).toMatchObject({
          status: "delivered",
          recipient: "bob@example.org"
        })
        yield* expectBalanced
      })
    ))

  it("keeps events of deliveries without the person, and deletes those of the contact", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate
        yield* erase
        const all = yield* events
        expect(all.filter(({ kind }) => kind === "contact.created")).toHaveLength(1)
        expect(all.filter(({ kind }) => kind === "contact.deleted")).toHaveLength(1)
        const canceled = all.find(({ kind }) => kind === "email.canceled")
        expect(canceled).toMatchObject({ data: { recipient: "erased@erased.invalid", contactId: null } })
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

describe("an erasure while a contact with the address is created", () => {
  it("leaves no record with the address, and counts the contact as deleted", () => {
    // The events were read before.
    const isLastKind = ([query]: ReadonlyArray<Query>) => query?._tag === "Records" && query.kind === "Idempotency"
    const { store, runMeanwhile } = makeInterleavedStore(isLastKind)
    return withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        runMeanwhile(contacts.create(project, { email, firstName: "Ada" }))
        expect(yield* erase).toMatchObject({ isComplete: true, deleted: { Contact: 1, Event: 1 } })
        expect(yield* recordsWith(email)).toEqual([])
      })
    )
  })
})

describe("an erasure while a message to the person is accepted", () => {
  it.each<[string, object]>([
    ["shows the address", {}],
    ["shows each recipient only its own address", { to: [email, "bob@example.org"] }]
  ])("keeps a message that %s unchanged, and finishes in the next call", (_, input) => {
    const isFirstKind = ([query]: ReadonlyArray<Query>) => query?._tag === "Records" && query.kind === "Contact"
    const { store, runMeanwhile } = makeInterleavedStore(isFirstKind)
    return withTestMail(store)(
      Effect.gen(function* () {
        const message = { from: "hello@example.com", to: email, subject: "Hi", text: `Dear ${email}` }
        const mailStore = yield* MailStore
        let sent: unknown
        const messages = Effect.provideService(recordsOf("Message"), MailStore, mailStore)
        const sending = Effect.andThen((yield* Sending).send(project, { ...message, ...input }), messages)
        runMeanwhile(Effect.map(sending, (found) => (sent = found)))
        expect(yield* erase).toMatchObject({ isComplete: false, underWay: 1 })
        expect(yield* recordsOf("Message")).toEqual(sent)
        expect(yield* erase).toMatchObject({ isComplete: true, ended: 1 })
        expect(yield* recordsWith(email)).toEqual([])
      })
    )
  })
})

describe("an erasure while a report is recorded", () => {
  it("leaves no record with the address when the person is erased after the report was matched", () => {
    const { store, runMeanwhile } = makeInterleavedStore(
      (queries) => queries.length === 1 && queries[0]?._tag === "Delivery"
    )
    return withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("s", { to: [email, "bob@example.org"] })
        yield* tick
        const contacts = yield* Contacts
        const feedback = yield* Feedback
        runMeanwhile(contacts.erase(project, email))
        yield* feedback.report(project, deliveryIds[0]!, { kind: "bounced", enhancedCode: "5.1.1" })
        expect(yield* recordsWith(email)).toEqual([])
        expect(yield* recordsOf("Suppression")).toEqual([])
      })
    )
  })
})

describe("an interrupted erasure", () => {
  it("is finished by the next call, wherever it was interrupted", async () => {
    for (let commitsLeft = 0, isDone = false; !isDone; commitsLeft++) {
      const { store, allowCommits } = makeFailingStore()
      await withTestMail(store)(
        Effect.gen(function* () {
          yield* populate
          allowCommits(commitsLeft)
          isDone = Exit.isSuccess(yield* Effect.exit(erase))
          allowCommits(Number.POSITIVE_INFINITY)
          expect(yield* erase).toMatchObject({ isComplete: true, kept: { suppression: true } })
          expect(yield* recordsWith(email)).toEqual([])
          yield* expectBalanced
        })
      )
      if (isDone) expect(commitsLeft).toBeGreaterThan(5)
    }
  })
})
