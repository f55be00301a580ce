/**
 * The erasure of a person while other calls write, and one that is interrupted.
 */
import { expectBalanced, project, send, tick, withTestMail } from "@mailkeep/test-support"
import { makeFailingStore } from "@mailkeep/test-support/failingStore"
import { makeInterleavedStore } from "@mailkeep/test-support/interleavedStore"
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { Query } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/adapter.ts"
import { Contacts, Feedback, Sending } from "../../../src/index.ts"
import { email, erase, populate, recordsOf, recordsWith } from "./erasedPerson.ts"

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
