/**
 * Laws of the commit: it is atomic, its answer is true, the next read sees it, and values stay unchanged.
 */
import { deliveryState } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { failureOf, resultOf, same, tally, resultsOf } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  resource,
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
  idempotencyRecord,
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
  { statement: "When a guard does not hold, nothing of its commit is kept.", why },
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
        resultOf,
        Effect.flatMap((result) => same("the result of the commit", result, "AlreadyExists"))
      )
      yield* same("the setting of the refused commit", yield* setting(store, "torn"), null)
      yield* same("its message", yield* ask(store, { _tag: "Message", projectId, id: "msg_1" }), null)
      yield* same("its delivery", yield* deliveryOf(store, "del_1"), null)
      yield* same("its counter", yield* counter(store, "allowance"), 0)
    })
)

const tellsWhichGuard = storeLaw(
  "commit/reports-which-guard",
  {
    statement: "A conflict names the index and the tag of the first change whose guard did not hold, and the reason.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.setting("taken"), insert.event(event()))
      const conflict = yield* failureOf(
        "a commit with two guards that do not hold",
        commit(store, put.setting("free"), spend(2, 1), insert.event(event({ id: "evt_2" })), insert.event(event()))
      )
      const { _tag, at, change, reason } = conflict as unknown as Record<string, unknown>
      yield* same(
        "the conflict",
        { _tag, at, change, reason },
        {
          _tag: "Conflict",
          at: 1,
          change: "AddToCounter",
          reason: "Exhausted"
        }
      )
    })
)

const visibleAtOnce = storeLaw(
  "commit/acknowledged-is-visible",
  { statement: "The next read sees what a commit wrote.", why },
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
  { statement: "Each of many concurrent commits is kept and answered.", why },
  (store) =>
    Effect.gen(function* () {
      const names = Array.from({ length: 200 }, (_, n) => `s${n}`)
      const results = yield* resultsOf(names.map((name) => commit(store, put.setting(name))))
      yield* same("the results", tally(results), { applied: names.length })
      const values = yield* store.read(names.map((name) => ({ _tag: "Setting", name }) as const))
      yield* same("the settings in the store", values.filter((value) => value === "1").length, names.length)
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
  "values/texts-unchanged",
  { statement: "The store returns every text of every record unchanged, code point by code point.", why },
  (store) =>
    Effect.forEach(
      awkward.entries(),
      ([n, text]) =>
        Effect.gen(function* () {
          const [messageId, deliveryId] = [`msg_${n}`, `del_${n}`] as const
          const sent = message({
            id: messageId,
            subject: text,
            html: text,
            text,
            fromName: text,
            metadata: { [`k${text}`]: text }
          })
          const inserted = delivery({ id: deliveryId, messageId, recipient: text, statusMessage: text })
          const tried = attempt({ deliveryId, message: text })
          const person = contact({
            id: `con_${n}`,
            address: `c${n}@example.org`,
            email: text,
            firstName: text,
            lastName: text,
            userId: text,
            phoneNumber: text
          })
          const key = apiKey({ id: `key_${n}`, publicId: `public${n}`, name: text })
          const before = event({ id: `evt_${String(n).padStart(3, "0")}` })
          const failed = { ...before, data: { ...before.data, message: text, recipient: text } } as typeof before
          yield* commit(
            store,
            put.setting(`s${n}`, text),
            put.apiKey(key),
            put.contact(person),
            insert.message(sent),
            insert.delivery(inserted),
            insert.attempt(tried),
            insert.event(failed)
          )
          const answers = yield* store.read([
            { _tag: "Setting", name: `s${n}` },
            { _tag: "ApiKey", id: key.id },
            { _tag: "Contact", projectId, id: person.id },
            { _tag: "Message", projectId, id: messageId },
            { _tag: "Delivery", projectId, id: deliveryId },
            { _tag: "Attempts", deliveryId }
          ])
          yield* same("the records", answers, [text, key, person, sent, inserted, [tried]])
          const events = yield* ask(store, { _tag: "Events", projectId, after: null, limit: 100 })
          yield* same("the event", events.at(-1), failed)
        }),
      { discard: true }
    )
)

const namesDiffer = storeLaw(
  "values/names-differ-by-every-character",
  { statement: "Two names that differ in case, an accent or a space are the names of two records.", why },
  (store) =>
    Effect.gen(function* () {
      const names = ["key", "Key", "KEY", "k\u00e9y", "ke\u0301y", "key_", "key-", "kez"]
      for (const [n, name] of names.entries()) {
        const record = idempotencyRecord({ key: name, fingerprint: `f${n}` })
        const result = yield* resultOf(
          commit(store, put.setting(name, `v${n}`), put.project(project({ id: name })), {
            _tag: "RecordIdempotency",
            record,
            now: noon
          })
        )
        yield* same(`the records named ${name}`, result, "applied")
      }
      for (const [n, name] of names.entries()) {
        const [value, named, record] = yield* store.read([
          { _tag: "Setting", name },
          { _tag: "Project", id: name },
          { _tag: "Idempotency", projectId, key: name }
        ])
        yield* same(
          `the setting and the suppressions named ${name}`,
          [value, named?.id, record?.fingerprint],
          [`v${n}`, name, `f${n}`]
        )
      }
    })
)

/** The size of the largest send. */
const recipients = 50
const bodyOctets = 2 * 1024 * 1024

const asLargeAsTheyCome = storeLaw(
  "commit/as-large-as-they-come",
  {
    statement: "The store keeps a commit of a message with two bodies of 2 MiB and 50 deliveries, each with an event.",
    why: "decisions/0021-field-limits.md"
  },
  (store) =>
    Effect.gen(function* () {
      const sent = message({ html: "h".repeat(bodyOctets), text: "ü".repeat(bodyOctets / 2) })
      const addresses = Array.from({ length: recipients }, (_, n) => `p${n}@example.org`)
      const inserted = addresses.map((address, n) => delivery({ id: `del_${String(n).padStart(2, "0")}`, address }))
      const people = addresses.map((address, n) => contact({ id: `con_${n}`, address }))
      yield* commit(
        store,
        insert.message(sent),
        ...inserted.map(insert.delivery),
        ...inserted.map(({ id }) => insert.event(event({ id: id.replace("del", "evt") as "evt_" }))),
        ...people.map((one) => put.contact(one))
      )
      const [existing, deliveries, events, found, suppressed] = yield* store.read([
        { _tag: "Message", projectId, id: "msg_1" },
        { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
        { _tag: "Events", projectId, after: null, limit: 100 },
        { _tag: "ContactsByAddress", projectId, addresses },
        { _tag: "Suppressions", projectId, addressKeys: addresses }
      ])
      yield* same(
        "the lengths of the bodies",
        [existing?.html?.length, existing?.text?.length],
        [bodyOctets, bodyOctets / 2]
      )
      yield* same("the deliveries", deliveries, inserted)
      yield* same("the number of events", events.length, recipients)
      yield* same("the contacts", found, people)
      yield* same("the number of requested suppressions", suppressed.length, recipients)
    })
)

/** More than a queue of any reasonable size, in all. */
const largeCommits = 12

const largeOneByOne = storeLaw(
  "commit/many-large-one-by-one",
  {
    statement: "The store never refuses a large commit because of the size of commits that it has already answered.",
    why: "decisions/0021-field-limits.md"
  },
  (store) =>
    Effect.gen(function* () {
      const html = "h".repeat(bodyOctets)
      for (let n = 0; n < largeCommits; n++)
        yield* same(
          `the result of large commit ${n}`,
          yield* resultOf(commit(store, insert.message(message({ id: `msg_${n}`, html, text: html })))),
          "applied"
        )
      const last = yield* ask(store, { _tag: "Message", projectId, id: `msg_${largeCommits - 1}` })
      yield* same("the length of the last body", last?.text?.length, bodyOctets)
    })
)

const interruptedIsWhole = storeLaw(
  "commit/interrupted-is-whole",
  {
    statement:
      "If the caller of a commit is interrupted, the commit is kept whole or not at all, and the next commit is answered.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const rounds = Array.from({ length: 30 }, (_, n) => n)
      for (const n of rounds) {
        const fiber = yield* Effect.forkChild(
          commit(store, put.setting(`s${n}`), insert.delivery(delivery({ id: `del_${n}` })), spend(1)),
          { startImmediately: true }
        )
        for (let i = 0; i < n % 4; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      yield* commit(store, put.setting("next"))
      const [settings, deliveries, spent] = [
        yield* store.read(rounds.map((n) => ({ _tag: "Setting", name: `s${n}` }) as const)),
        yield* store.read(rounds.map((n) => ({ _tag: "Delivery", projectId, id: `del_${n}` }) as const)),
        yield* counter(store, "allowance")
      ]
      const kept = settings.map((value) => value !== null)
      yield* same(
        "the deliveries in the store",
        deliveries.map((one) => one !== null),
        kept
      )
      yield* same("the spent units", spent, kept.filter(Boolean).length)
    })
)

const numbersAsGiven = storeLaw(
  "values/numbers-unchanged",
  { statement: "The store returns every number, true, false and null unchanged.", why },
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
            apiKeyId: null,
            html: null,
            onAmbiguous: null
          })
          const inserted = delivery({
            id: `del_${n}`,
            createdAt: whole,
            fencingToken: whole,
            chargedAt: null,
            reachedRelay: n % 2 === 0
          })
          yield* commit(store, insert.message(sent), insert.delivery(inserted))
          yield* same("the message", yield* ask(store, { _tag: "Message", projectId, id: sent.id }), sent)
          yield* same("the delivery", yield* deliveryOf(store, inserted.id), inserted)
        }),
      { discard: true }
    )
)

const recordsAsGiven = storeLaw(
  "values/records-unchanged",
  { statement: "The store returns every record with every field unchanged, and with no other field.", why },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", fencingToken: 1, worker: "w" })
      const moved = {
        ...deliveryState(sending),
        status: "bounced",
        reason: "hard_bounce",
        statusMessage: "No such user",
        scheduledAt: noon + 1,
        dueAt: null,
        worker: null,
        fencingToken: 2,
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
        put.resource(resource()),
        { _tag: "RecordIdempotency", record: idempotencyRecord(), now: noon },
        insert.message(message()),
        insert.delivery(sending),
        insert.attempt(attempt()),
        insert.event(event())
      )
      yield* commit(
        store,
        { _tag: "MoveAttempt", deliveryId: "del_1", number: 1, fencingToken: 1, from: "started", next: ended },
        { _tag: "MoveDelivery", id: "del_1", from: "sending", fencingToken: 1, next: moved }
      )
      const answers = yield* store.read([
        { _tag: "Project", id: projectId },
        { _tag: "ApiKey", id: "key_1" },
        { _tag: "ApiKeyByPublicId", publicId: "public000001" },
        { _tag: "Domain", projectId, domain: "a.example" },
        { _tag: "Contact", projectId, id: "con_1" },
        { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada", "key-of-bob"] },
        { _tag: "Resource", projectId, id: "lst_1" },
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
        resource(),
        idempotencyRecord(),
        message(),
        { ...sending, ...moved },
        [{ ...attempt(), ...ended }],
        [event()]
      ])
    })
)

export const commitLaws: ReadonlyArray<StoreLaw> = [
  allOrNothing,
  tellsWhichGuard,
  visibleAtOnce,
  manyAtOnce,
  interruptedIsWhole,
  asLargeAsTheyCome,
  largeOneByOne,
  textsAsGiven,
  namesDiffer,
  numbersAsGiven,
  recordsAsGiven
]
