/**
 * The plan of a send: what it would do, without a trace. Source: decision 0049.
 */
import {
  expectBalanced,
  project,
  send,
  sendInput,
  start,
  stores,
  summaries,
  tick,
  withTestMail
} from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { SendInput, SendOptions } from "../../../src/index.ts"
import { DeliveryLog, IdSource, MailStore, Sending, Suppressions, Templates } from "../../../src/index.ts"

const plan = (change: Partial<SendInput> = {}, options: SendOptions = {}) =>
  Effect.flatMap(Sending, (sending) => sending.plan(project, sendInput(change), options))

const outcomesOf = (planned: Effect.Success<ReturnType<typeof plan>>) =>
  planned.recipients.map(({ recipient, outcome, reason }) => [recipient, outcome, reason])

describe.each(stores)("the plan of a send, over $name", (store) => {
  it("shows the rendered template, the suppressed recipients and the usage, and the send does the same", () =>
    withTestMail(store, { plan: { dailySends: 5 } })(
      Effect.gen(function* () {
        const template = {
          alias: "hi",
          name: "Hi",
          subject: "Hi {{name}}",
          html: "<p>{{name}}</p>",
          variables: [{ key: "name", type: "string", required: true }]
        } as const
        yield* (yield* Templates).ensure(project, template)
        yield* (yield* Suppressions).addReason(project, "bob@example.org", "manual")
        const input = {
          to: ["ada@example.org", "bob@example.org"],
          templateId: "hi",
          templateVariables: { name: "A & B" }
        }
        const planned = yield* plan(input)
        expect(planned).toMatchObject({
          outcome: "accepted",
          content: { subject: "Hi A & B", html: "<p>A &amp; B</p>" },
          usage: {
            dailySends: { before: 0, after: 1, limit: 5 },
            sendingAllowance: { before: 0, after: 1, limit: null }
          }
        })
        expect(outcomesOf(planned)).toEqual([
          ["ada@example.org", "queued", null],
          ["bob@example.org", "suppressed", "manual"]
        ])
        const sent = yield* send("k", input)
        const log = yield* DeliveryLog
        const deliveries = yield* Effect.forEach(sent.deliveryIds, (id) => log.get(project, id))
        expect(deliveries.map(({ recipient, status, reason }) => [recipient, status, reason])).toEqual(
          outcomesOf(planned)
        )
        expect(deliveries[0]!.message).toMatchObject(planned.content!)
      })
    ))

  it("shows each refusal of the decision, and fails only for an input of a wrong form", () =>
    withTestMail(store, { plan: { scheduledRecipients: 0 } })(
      Effect.gen(function* () {
        const refusals = [
          yield* plan({ from: "hello@unknown.example" }),
          yield* plan({ templateId: "none" }),
          yield* plan({ scheduledAt: start + 1000 }),
          yield* plan({ scheduledAt: start - 1000 })
        ].map(({ outcome, refusal }) => [outcome, refusal?._tag])
        expect(refusals).toEqual([
          ["refused", "SenderDomainNotVerified"],
          ["refused", "InvalidArgument"],
          ["refused", "PlanLimitReached"],
          ["refused", "InvalidArgument"]
        ])
        expect(yield* Effect.flip(plan({ to: "nobody" }))).toMatchObject({ issues: [{ path: ["to"] }] })
        expect(yield* Effect.flip(plan({}, { idempotencyKey: "a b" }))).toMatchObject({ argument: "options" })
      })
    ))

  it("shows the deliveries of the earlier send with the same idempotency key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const sent = yield* send("k")
        yield* tick
        expect(yield* plan({}, { idempotencyKey: "k" })).toMatchObject({
          outcome: "already_sent",
          messageId: sent.messageId,
          recipients: [{ outcome: "already_sent", deliveryId: sent.deliveryIds[0], status: "delivered" }],
          content: { subject: "Hello" }
        })
        expect(yield* plan({ subject: "Other" }, { idempotencyKey: "k" })).toMatchObject({
          outcome: "refused",
          refusal: { issues: [{ code: "idempotency_key_reused" }] }
        })
        yield* TestClock.adjust("31 days")
        expect(yield* plan({}, { idempotencyKey: "k" })).toMatchObject({ outcome: "accepted" })
      })
    ))

  it("writes nothing, counts nothing and uses no idempotency key", async () => {
    let commits = 0
    const counted = {
      name: store.name,
      layer: Layer.effect(
        MailStore,
        Effect.map(MailStore, (inner) => ({
          ...inner,
          commit: (changes) => {
            commits++
            return inner.commit(changes)
          }
        }))
      ).pipe(Layer.provide(store.layer))
    }
    await withTestMail(counted)(
      Effect.gen(function* () {
        const before = commits
        yield* plan({}, { idempotencyKey: "k" })
        expect(commits).toBe(before)
        expect(yield* summaries).toEqual([])
        expect((yield* send("k", { subject: "Other" })).replayed).toBe(false)
        yield* expectBalanced
      })
    )
  })

  it("plans a send without reserving an id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const ids = yield* IdSource
        const { low } = yield* ids.reserve(start, 1)
        yield* plan()
        expect((yield* ids.reserve(start, 1)).low).toBe(low + 1)
      })
    ))
})
