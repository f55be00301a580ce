/**
 * Laws of the commit: all or nothing, told truly, seen at once, kept as given.
 */
import { deliveryState } from "@mailkeep/core/domain"
import { Effect } from "effect"
import { fateOf, same, tally, fatesOf } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  counter,
  delivery,
  deliveryOf,
  event,
  insert,
  message,
  noon,
  project,
  projectId,
  put,
  remembered,
  senderDomain,
  setting,
  spend,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0001-core-decides.md"

const allOrNothing = storeLaw(
  "commit/all-or-nothing",
  { says: "When a guard does not hold, nothing of its commit is kept.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, insert.event(event()))
      yield* commit(
        store,
        put.setting("torn"),
        insert.message(message()),
        insert.delivery(delivery()),
        spend(1),
        insert.event(event())
      ).pipe(
        fateOf,
        Effect.flatMap((fate) => same("the commit's fate", fate, "AlreadyExists"))
      )
      yield* same("the setting of the refused commit", yield* setting(store, "torn"), null)
      yield* same("its message", yield* ask(store, { _tag: "Message", projectId, id: "msg_1" }), null)
      yield* same("its delivery", yield* deliveryOf(store, "del_1"), null)
      yield* same("its counter", yield* counter(store, "allowance"), 0)
    })
)

const tellsWhichGuard = storeLaw(
  "commit/tells-which-guard",
  { says: "A conflict names the place of the first change whose guard did not hold, its tag and the reason.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.setting("taken"), insert.event(event()))
      const conflict = yield* Effect.flip(
        commit(store, put.setting("free"), spend(2, 1), insert.event(event({ id: "evt_2" })), insert.event(event()))
      )
      const { _tag, at, change, reason } = conflict as unknown as Record<string, unknown>
      yield* same(
        "the conflict",
        { _tag, at, change, reason },
        {
          _tag: "Conflict",
          at: 1,
          change: "SpendCounter",
          reason: "Exhausted"
        }
      )
    })
)

const visibleAtOnce = storeLaw(
  "commit/acknowledged-is-visible",
  { says: "What a commit wrote, the next read sees.", why },
  (store) =>
    Effect.forEach(
      Array.from({ length: 20 }, (_, n) => `s${n}`),
      (name) =>
        Effect.gen(function* () {
          yield* commit(store, put.setting(name))
          yield* same(`the setting ${name}`, yield* setting(store, name), "1")
        }),
      { discard: true }
    )
)

const manyAtOnce = storeLaw(
  "commit/many-at-once",
  { says: "Of many commits at once each is kept, and each is answered.", why },
  (store) =>
    Effect.gen(function* () {
      const names = Array.from({ length: 200 }, (_, n) => `s${n}`)
      const fates = yield* fatesOf(names.map((name) => commit(store, put.setting(name))))
      yield* same("the fates", tally(fates), { applied: names.length })
      const values = yield* store.read(names.map((name) => ({ _tag: "Setting", name }) as const))
      yield* same("the settings that stand", values.filter((value) => value === "1").length, names.length)
    })
)

const awkward = [
  "",
  " leading and trailing ",
  "two\r\nlines\ttab",
  "quote ' \" ` \\ ; -- %_*?[",
  "Grüße, İstanbul, straße, \u212a",
  "e\u0301 and \u00e9",
  "🎉👩‍👩‍👧",
  "null",
  "0",
  "x".repeat(100_000)
]

const textsAsGiven = storeLaw(
  "values/texts-as-given",
  { says: "Every text comes back as it was given, code point by code point.", why },
  (store) =>
    Effect.forEach(
      awkward.entries(),
      ([n, text]) =>
        Effect.gen(function* () {
          const record = message({ id: `msg_${n}`, subject: text, html: text, text, fromName: text })
          yield* commit(store, insert.message(record))
          yield* same("the message", yield* ask(store, { _tag: "Message", projectId, id: record.id }), record)
        }),
      { discard: true }
    )
)

const numbersAsGiven = storeLaw(
  "values/numbers-as-given",
  { says: "Every number, true, false and null comes back as it was given.", why },
  (store) =>
    Effect.forEach(
      [0, 1, -1, 0.1, 1e-9, 1e21, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)].entries(),
      ([n, number]) =>
        Effect.gen(function* () {
          const whole = Math.trunc(Math.min(8.64e15, Math.abs(number)))
          const metadata = { number, yes: true, no: false, text: "1" }
          const sent = message({
            id: `msg_${n}`,
            metadata,
            expiresAt: whole,
            keyId: null,
            html: null,
            onAmbiguous: null
          })
          const held = delivery({
            id: `del_${n}`,
            createdAt: whole,
            token: whole,
            chargedAt: null,
            reachedRelay: n % 2 === 0
          })
          yield* commit(store, insert.message(sent), insert.delivery(held))
          yield* same("the message", yield* ask(store, { _tag: "Message", projectId, id: sent.id }), sent)
          yield* same("the delivery", yield* deliveryOf(store, held.id), held)
        }),
      { discard: true }
    )
)

const recordsAsGiven = storeLaw(
  "values/records-as-given",
  { says: "Every record comes back with every field as it was given, and none besides.", why },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", token: 1, worker: "w" })
      const moved = {
        ...deliveryState(sending),
        status: "bounced",
        reason: "hard_bounce",
        statusMessage: "No such user",
        scheduledAt: noon + 1,
        dueAt: null,
        worker: null,
        token: 2,
        attempts: 3,
        deferrals: 4,
        ambiguous: 5,
        crashes: 6,
        reachedRelay: true,
        countedDay: "2026-11-21",
        chargedAt: noon + 2,
        sequence: 7,
        bounceType: "hard",
        canceledAt: noon + 3,
        acceptedAt: noon + 4,
        deliveredAt: noon + 5,
        bouncedAt: noon + 6,
        complainedAt: noon + 7,
        failedAt: noon + 8
      } as const
      const ended = {
        phase: "ended",
        outcome: "rejected",
        smtpCode: 550,
        enhancedCode: "5.1.1",
        message: "No such user",
        durationMillis: 12
      } as const
      yield* commit(
        store,
        put.project(project()),
        put.apiKey(apiKey()),
        put.domain(senderDomain()),
        put.contact(contact()),
        put.suppression(suppression({ reasons: { complaint: noon, hard_bounce: noon + 1 } })),
        { _tag: "RecordIdempotency", record: remembered(), now: noon },
        insert.message(message()),
        insert.delivery(sending),
        insert.attempt(attempt()),
        insert.event(event())
      )
      yield* commit(
        store,
        { _tag: "MoveAttempt", deliveryId: "del_1", number: 1, token: 1, from: "started", next: ended },
        { _tag: "MoveDelivery", id: "del_1", from: "sending", token: 1, next: moved }
      )
      const answers = yield* store.read([
        { _tag: "Project", id: projectId },
        { _tag: "ApiKey", id: "key_1" },
        { _tag: "ApiKeyByPublicId", publicId: "public000001" },
        { _tag: "Domain", projectId, domain: "a.example" },
        { _tag: "Contact", projectId, id: "con_1" },
        { _tag: "Suppressions", projectId, addresses: ["ada@example.org", "bob@example.org"] },
        { _tag: "Idempotency", projectId, key: "k" },
        { _tag: "Message", projectId, id: "msg_1" },
        { _tag: "Delivery", projectId, id: "del_1" },
        { _tag: "Attempts", deliveryId: "del_1" },
        { _tag: "Events", projectId, after: null, limit: 9 }
      ])
      yield* same("the records", answers, [
        project(),
        apiKey(),
        apiKey(),
        senderDomain(),
        contact(),
        [suppression({ reasons: { complaint: noon, hard_bounce: noon + 1 } }), null],
        remembered(),
        message(),
        { ...sending, ...moved },
        [{ ...attempt(), ...ended }],
        [event()]
      ])
    })
)

const oneAnswerEach = storeLaw(
  "read/one-answer-each",
  { says: "A read gives one answer for each query, in their order; what is not there is null, empty or 0.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.setting("a", "A"), put.setting("b", "B"), spend(3))
      const answers = yield* store.read([
        { _tag: "Setting", name: "b" },
        { _tag: "Setting", name: "none" },
        { _tag: "Setting", name: "a" },
        { _tag: "Setting", name: "b" },
        { _tag: "Counters", projectId, names: ["waiting", "allowance", "waiting"] },
        { _tag: "ContactsByAddress", projectId, addresses: ["x@example.org", "y@example.org"] },
        { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_none" },
        { _tag: "Projects" }
      ])
      yield* same("the answers", answers, ["B", null, "A", "B", [0, 3, 0], [null, null], [], []])
      yield* same("the answer to no query", yield* store.read([]), [])
    })
)

const oneState = storeLaw(
  "read/one-state",
  { says: "All queries of one read are answered from one state, however many commit meanwhile.", why },
  (store) =>
    Effect.gen(function* () {
      const writing = Effect.forEach(
        Array.from({ length: 60 }),
        () => Effect.andThen(commit(store, spend(1, null, "waiting"), spend(1, null, "allowance")), Effect.yieldNow),
        { concurrency: 4, discard: true }
      )
      const reading = Effect.forEach(
        Array.from({ length: 60 }),
        () =>
          Effect.gen(function* () {
            const [[waiting], [allowance]] = yield* store.read([
              { _tag: "Counters", projectId, names: ["waiting"] },
              { _tag: "Counters", projectId, names: ["allowance"] }
            ])
            yield* same("two counters that every commit moves together", waiting, allowance)
            yield* Effect.yieldNow
          }),
        { discard: true }
      )
      yield* Effect.all([writing, reading], { concurrency: "unbounded", discard: true })
    })
)

export const commitLaws: ReadonlyArray<StoreLaw> = [
  allOrNothing,
  tellsWhichGuard,
  visibleAtOnce,
  manyAtOnce,
  textsAsGiven,
  numbersAsGiven,
  recordsAsGiven,
  oneAnswerEach,
  oneState
]
