/**
 * The deletion of a project over whole stores: afterwards no record of the project is left, and the other projects are as before.
 */
import {
  captured,
  delivery,
  project,
  send,
  sendEvents,
  start,
  stores,
  summaries,
  tick,
  tickOver,
  tickWith,
  withTestMail
} from "@mailkeep/test-support"
import { MemoryMailStore } from "@mailkeep/memory"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change, EventSinkShape } from "../../../src/adapter.ts"
import { deliveryState, MailStore } from "../../../src/adapter.ts"
import { Access, ApiKeys, Dispatcher, Projects, Webhooks } from "../../../src/index.ts"
import { refused } from "../event/scriptedSink.ts"
import { allRecordsOf, deleteProject, populate, projectKinds, recordsOf, scheduledAt } from "./projectRecords.ts"

const other = "prj_other"

describe.each(stores)("Projects.delete, over $name", (store) => {
  it("leaves no record of the project, and changes no record of another project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate(other)
        yield* populate(project)
        for (const kind of projectKinds)
          expect([kind, (yield* recordsOf(kind, project)).length > 0]).toEqual([kind, true])
        const kept = yield* allRecordsOf(other)
        const report = yield* deleteProject
        expect(report).toMatchObject({
          isComplete: true,
          underWay: 0,
          deleted: { Project: 1, Message: 4, Delivery: 6 }
        })
        expect(Object.values(report.deleted).every((count) => count > 0)).toBe(true)
        expect(yield* allRecordsOf(project)).toEqual([])
        expect(yield* allRecordsOf(other)).toEqual(kept)
        expect((yield* (yield* Projects).list).map(({ id }) => id)).toEqual([other])
      })
    ))

  it("refuses sends and API keys, and hands over no mail that waited", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const secret = yield* populate(project)
        const before = (yield* captured).length
        yield* deleteProject
        expect(yield* Effect.flip(send("late"))).toMatchObject({ _tag: "SenderDomainNotVerified" })
        expect(yield* Effect.flip((yield* Access).authenticate(secret))).toMatchObject({ _tag: "InvalidApiKey" })
        yield* TestClock.adjust("2 hours")
        yield* tick
        expect(yield* captured).toHaveLength(before)
      })
    ))

  it("succeeds again, and lets the id be used for a new project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* populate(project)
        yield* deleteProject
        expect(yield* deleteProject).toMatchObject({ isComplete: true, deleted: { Project: 0, Message: 0 } })
        yield* populate(project)
        yield* tick
        expect((yield* summaries).map(({ status }) => status).toSorted()).toEqual([
          "delivered",
          "delivered",
          "delivered",
          "delivered",
          "scheduled",
          "suppressed"
        ])
      })
    ))

  it("keeps a message that is being handed over until the hand-off has ended", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const stub = yield* StubTransport.StubTransport
        const services = yield* Effect.context<Projects | MailStore>()
        yield* send("now")
        yield* send("later", { scheduledAt })
        let report: unknown
        yield* tickWith({
          ...stub,
          handOff: (one) =>
            Effect.andThen(
              Effect.map(Effect.orDie(Effect.provide(deleteProject, services)), (answer) => (report = answer)),
              stub.handOff(one)
            )
        })
        expect(report).toMatchObject({ isComplete: false, underWay: 1, deleted: { Message: 1, Delivery: 1 } })
        expect(stub.captured()).toHaveLength(1)
        expect(yield* recordsOf("Message", project)).toHaveLength(1)
        expect(yield* Effect.flip(send("late"))).toMatchObject({ _tag: "SenderDomainNotVerified" })
        expect(yield* deleteProject).toMatchObject({ isComplete: true, underWay: 0, deleted: { Message: 1, Event: 1 } })
        expect(yield* allRecordsOf(project)).toEqual([])
      })
    ))

  it("deletes a delivery whose worker died, once the lease of the worker has ended", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { deliveryIds } = yield* send("k")
        const before = yield* delivery(deliveryIds[0]!)
        const next = { ...deliveryState(before), status: "sending", worker: "w" } as const
        const { id, fencingToken } = before
        yield* mailStore.commit([
          { _tag: "TransitionDelivery", projectId: project, id, from: "queued", fencingToken, next },
          { _tag: "RenewLease", worker: "w", renewedAt: start, leaseUntil: start + 45_000 }
        ])
        expect(yield* deleteProject).toMatchObject({ isComplete: false, underWay: 1, deleted: { Message: 0 } })
        yield* TestClock.adjust("45 seconds")
        expect(yield* deleteProject).toMatchObject({ isComplete: true, underWay: 0, deleted: { Message: 1 } })
        expect(yield* allRecordsOf(project)).toEqual([])
        expect(yield* tick).toEqual({ scheduled: 0, recovered: 0, handedOver: 0 })
      })
    ))

  it.each(["queued", "scheduled"])("loses the claim of a %s delivery that is deleted after it was claimed", (status) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k", status === "scheduled" ? { scheduledAt } : {})
        yield* TestClock.adjust("1 hour")
        const mailStore = yield* MailStore
        const services = yield* Effect.context<Projects | MailStore>()
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => logged.push(message))
        yield* tickOver({
          ...mailStore,
          claim: (claim) =>
            Effect.tap(mailStore.claim(claim), (claimed) =>
              claimed.length === 0 ? Effect.void : Effect.orDie(Effect.provide(deleteProject, services))
            )
        }).pipe(Effect.provide(Logger.layer([logger])))
        expect(logged).toEqual([])
        expect(yield* captured).toEqual([])
        expect(yield* allRecordsOf(project)).toEqual([])
        expect(yield* (yield* Dispatcher).tick).toEqual({ scheduled: 0, recovered: 0, handedOver: 0 })
      })
    )
  )

  it("deletes an event that is being sent to a webhook, and records nothing when the request has ended", () => {
    let duringRequest: Effect.Effect<unknown> = Effect.void
    const requests: Array<string> = []
    const sink: EventSinkShape = {
      capabilities: { carriesHeaders: true },
      send: ({ endpoint }) => {
        requests.push(endpoint)
        return Effect.as(
          Effect.suspend(() => duringRequest),
          refused({ wantsNoMoreEvents: true })
        )
      }
    }
    return withTestMail(store, { sink })(
      Effect.gen(function* () {
        yield* (yield* Webhooks).create(project, { url: "https://hooks.example/a" })
        yield* send("k")
        yield* tick
        const services = yield* Effect.context<Projects | MailStore>()
        duringRequest = Effect.orDie(Effect.provide(deleteProject, services))
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => logged.push(message))
        yield* sendEvents.pipe(Effect.provide(Logger.layer([logger])))
        expect(requests).toEqual(["https://hooks.example/a"])
        expect(logged).toEqual([])
        expect(yield* allRecordsOf(project)).toEqual([])
      })
    )
  })

  it("refuses a text that is no project id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const failure = yield* Effect.flip((yield* Projects).delete("*"))
        expect(failure).toMatchObject({ _tag: "InvalidArgument", issues: [{ path: ["projectId"] }] })
      })
    ))
})

describe("the deletion of a project with many records", () => {
  it("deletes more API keys than one commit can delete", () =>
    withTestMail(stores[0])(
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        const create = apiKeys.create(project, { permissions: ["email.send"] })
        yield* Effect.forEach(Array.from({ length: 205 }), () => create, { discard: true })
        expect(yield* deleteProject).toMatchObject({ isComplete: true, deleted: { ApiKey: 205, Domain: 1 } })
        expect(yield* allRecordsOf(project)).toEqual([])
      })
    ))

  it("reads and deletes them in bounded parts", () => {
    let largestCommit = 0
    let largestAnswer = 0
    const measured = Effect.map(MemoryMailStore.make, (store) => ({
      ...store,
      commit: (changes: ReadonlyArray<Change>) => {
        largestCommit = Math.max(largestCommit, changes.length)
        return store.commit(changes)
      },
      read: ((queries) =>
        Effect.tap(store.read(queries), (answers) =>
          Effect.sync(() => {
            for (const answer of answers)
              if (Array.isArray(answer)) largestAnswer = Math.max(largestAnswer, answer.length)
          })
        )) as typeof store.read
    }))
    return withTestMail({ name: "measured", layer: Layer.effect(MailStore, measured) })(
      Effect.gen(function* () {
        const to = Array.from({ length: 50 }, (_, n) => `p${n}@example.org`)
        yield* Effect.forEach(Array.from({ length: 60 }), (_, n) => send(`k${n}`, { to }), { discard: true })
        yield* tick
        largestCommit = largestAnswer = 0
        expect(yield* deleteProject).toMatchObject({ isComplete: true, deleted: { Message: 60, Delivery: 3000 } })
        expect(largestCommit).toBeLessThanOrEqual(50 * 51 + 1)
        expect(largestAnswer).toBeLessThanOrEqual(200)
      })
    )
  })
})
