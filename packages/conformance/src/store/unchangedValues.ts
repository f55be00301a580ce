/**
 * Laws of values: the store returns every text, name, number and record unchanged.
 */
import { deliveryState } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, commitResult, insert, transition, put } from "./changes.ts"
import { ask, deliveryOf } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const awkward = [
  "",
  " leading and trailing ",
  "two\r\nlines\ttab",
  "quote ' \" ` \\ ; -- %_*?[",
  "Grüße, İstanbul, straße, \u212a",
  "e\u0301 and \u00e9",
  "\ufeffa byte order mark",
  "🎉👩‍👩‍👧",
  "null",
  "0",
  "x".repeat(100_000)
]

const textsAsGiven = law(
  "values/texts-unchanged",
  "The store returns every text of every record unchanged, code point by code point.",
  function* (store) {
    for (const [n, text] of awkward.entries()) {
      const [messageId, deliveryId] = [`msg_${n}`, `del_${n}`] as const
      const sent = sample.message({
        id: messageId,
        subject: text,
        html: text,
        text,
        fromName: text,
        metadata: { [`k${text}`]: text }
      })
      const inserted = sample.delivery({ id: deliveryId, messageId, recipient: text, statusMessage: text })
      const tried = sample.attempt({ deliveryId, statusMessage: text })
      const person = sample.contact({
        id: `con_${n}`,
        address: `c${n}@example.org`,
        email: text,
        firstName: text,
        lastName: text,
        userId: text,
        phoneNumber: text
      })
      const key = sample.apiKey({ id: `key_${n}`, publicId: `public${n}`, name: text })
      const before = sample.event({ id: `evt_${String(n).padStart(3, "0")}` })
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
        { _tag: "ApiKey", projectId, id: key.id },
        { _tag: "Contact", projectId, id: person.id },
        { _tag: "Message", projectId, id: messageId },
        { _tag: "Delivery", projectId, id: deliveryId },
        { _tag: "Attempts", projectId, deliveryId }
      ])
      yield* same("the records", answers, [text, key, person, sent, inserted, [tried]])
      const events = yield* ask(store, { _tag: "Events", projectId, after: null, limit: 100 })
      yield* same("the event", events.at(-1), failed)
    }
  }
)

const namesDiffer = law(
  "values/names-differ-by-every-character",
  "Two names that differ in case, an accent or a space are the names of two records.",
  function* (store) {
    const names = ["key", "Key", "KEY", "k\u00e9y", "ke\u0301y", "key_", "key-", "kez", "key ", " key"]
    for (const [n, name] of names.entries()) {
      const record = sample.idempotencyRecord({ key: name, fingerprint: `f${n}` })
      const result = yield* commitResult(
        store,
        put.setting(name, `v${n}`),
        put.project(sample.project({ id: name })),
        put.idempotency(record)
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
        `the setting, the project and the idempotency record named ${name}`,
        [value, named?.id, record?.fingerprint],
        [`v${n}`, name, `f${n}`]
      )
    }
  }
)

const numbersAsGiven = law(
  "values/numbers-unchanged",
  "The store returns every number, true, false and null unchanged.",
  function* (store) {
    for (const [n, number] of [0, 1, -1, 0.1, 1e-9, 1e21, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)].entries()) {
      const whole = Math.trunc(Math.min(8.64e15, Math.abs(number)))
      const metadata = { number, yes: true, no: false, text: "1" }
      const sent = sample.message({
        id: `msg_${n}`,
        metadata,
        expiresAt: whole,
        apiKeyId: null,
        html: null,
        onAmbiguous: null
      })
      const inserted = sample.delivery({
        id: `del_${n}`,
        createdAt: whole,
        fencingToken: whole,
        chargedAt: null,
        reachedRelay: n % 2 === 0
      })
      yield* commit(store, insert.message(sent), insert.delivery(inserted))
      yield* same("the message", yield* ask(store, { _tag: "Message", projectId, id: sent.id }), sent)
      yield* same("the delivery", yield* deliveryOf(store, inserted.id), inserted)
    }
  }
)

const recordsAsGiven = law(
  "values/records-unchanged",
  "The store returns every record with every field unchanged, and with no other field.",
  function* (store) {
    const sending = sample.delivery({ status: "sending", fencingToken: 1, worker: "w" })
    const moved = {
      ...deliveryState(sending),
      status: "bounced",
      reason: "hard_bounce",
      statusMessage: "No such user",
      scheduledAt: noon + 1,
      dueAt: null,
      worker: null,
      fencingToken: 2,
      attemptCount: 3,
      deferrals: 4,
      ambiguousAttempts: 5,
      workerDeaths: 6,
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
      failedAt: noon + 8,
      suppressedAt: noon + 9
    } as const
    const ended = {
      phase: "ended",
      outcome: "rejected",
      smtpCode: 550,
      enhancedCode: "5.1.1",
      statusMessage: "No such user",
      durationMillis: 12
    } as const
    yield* commit(
      store,
      put.project(sample.project()),
      put.apiKey(sample.apiKey()),
      put.domain(sample.senderDomain()),
      put.contact(sample.contact()),
      put.suppression(sample.suppression({ reasons: { complaint: noon, hard_bounce: noon + 1 } })),
      put.resource(sample.resource()),
      put.idempotency(sample.idempotencyRecord()),
      insert.message(sample.message()),
      insert.delivery(sending),
      insert.attempt(sample.attempt()),
      insert.event(sample.event())
    )
    yield* commit(
      store,
      transition.attempt("del_1", 1, "started", 1, ended),
      transition.delivery("del_1", "sending", 1, moved)
    )
    const answers = yield* store.read([
      { _tag: "Project", id: projectId },
      { _tag: "ApiKey", projectId, id: "key_1" },
      { _tag: "ApiKeyByPublicId", publicId: "public000001" },
      { _tag: "Domain", projectId, domain: "a.example" },
      { _tag: "Contact", projectId, id: "con_1" },
      { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada", "key-of-bob"] },
      { _tag: "Resource", projectId, id: "lst_1" },
      { _tag: "Idempotency", projectId, key: "k" },
      { _tag: "Message", projectId, id: "msg_1" },
      { _tag: "Delivery", projectId, id: "del_1" },
      { _tag: "Attempts", projectId, deliveryId: "del_1" },
      { _tag: "Events", projectId, after: null, limit: 9 }
    ])
    yield* same("the records", answers, [
      sample.project(),
      sample.apiKey(),
      sample.apiKey(),
      sample.senderDomain(),
      sample.contact(),
      [sample.suppression({ reasons: { complaint: noon, hard_bounce: noon + 1 } }), null],
      sample.resource(),
      sample.idempotencyRecord(),
      sample.message(),
      { ...sending, ...moved },
      [{ ...sample.attempt(), ...ended }],
      [sample.event()]
    ])
  }
)

export const unchangedValueLaws: ReadonlyArray<StoreLaw> = [textsAsGiven, namesDiffer, numbersAsGiven, recordsAsGiven]
