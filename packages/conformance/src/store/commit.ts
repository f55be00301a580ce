/**
 * Laws of the commit: it is atomic, its answer is true, and the next read sees it.
 */
import type { Change } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { failureOf, resultOf, resultsOf, same, tally } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, commitResult, expectRevision, insert, put, spend } from "./changes.ts"
import { ask, counter, deliveryOf, setting } from "./queries.ts"
import { projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const allOrNothing = law(
  "commit/all-or-nothing",
  "When a guard does not hold, nothing of its commit is kept.",
  function* (store) {
    yield* commit(store, insert.event(sample.event()))
    yield* commit(
      store,
      put.setting("torn"),
      insert.message(sample.message()),
      insert.delivery(sample.delivery()),
      spend(1),
      insert.event(sample.event())
    ).pipe(
      resultOf,
      Effect.flatMap((result) => same("the result of the commit", result, "AlreadyExists"))
    )
    yield* same("the setting of the refused commit", yield* setting(store, "torn"), null)
    yield* same("its message", yield* ask(store, { _tag: "Message", projectId, id: "msg_1" }), null)
    yield* same("its delivery", yield* deliveryOf(store, "del_1"), null)
    yield* same("its counter", yield* counter(store, "allowance"), 0)
    yield* commit(
      store,
      expectRevision({ kind: "ApiKey", projectId, id: "key_absent" }, null),
      put.setting("torn"),
      insert.event(sample.event())
    ).pipe(
      resultOf,
      Effect.flatMap((result) => same("the result of a commit whose first guard holds", result, "AlreadyExists"))
    )
    yield* same("the setting of that commit", yield* setting(store, "torn"), null)
  }
)

const tellsWhichGuard = law(
  "commit/reports-which-guard",
  "A conflict names the index and the tag of the first change whose guard did not hold, and the reason.",
  function* (store) {
    yield* commit(store, put.setting("taken"), insert.event(sample.event()))
    const conflict = yield* failureOf(
      "a commit with two guards that do not hold",
      commit(
        store,
        put.setting("free"),
        spend(2, 1),
        insert.event(sample.event({ id: "evt_2" })),
        insert.event(sample.event())
      )
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
  }
)

const visibleAtOnce = law(
  "commit/acknowledged-is-visible",
  "The next read sees what a commit wrote.",
  function* (store) {
    for (const name of Array.from({ length: 20 }, (_, n) => `s${n}`)) {
      yield* commit(store, put.setting(name))
      yield* same(`the setting ${name}`, yield* setting(store, name), "1")
    }
  }
)

const manyAtOnce = law(
  "commit/many-at-once",
  "Each of many concurrent commits is kept and answered.",
  function* (store) {
    const names = Array.from({ length: 200 }, (_, n) => `s${n}`)
    const results = yield* resultsOf(names.map((name) => commit(store, put.setting(name))))
    yield* same("the results", tally(results), { applied: names.length })
    const values = yield* store.read(names.map((name) => ({ _tag: "Setting", name }) as const))
    yield* same("the settings in the store", values.filter((value) => value === "1").length, names.length)
  }
)

/** The size of the largest send. */
const recipients = 50

const bodyBytes = 2 * 1024 * 1024

/** The rows of a file of contacts that one commit imports. Each row may change a contact and a suppression, and append events. */
const importedRows = Array.from({ length: 64 }, (_, n) => `row${String(n).padStart(2, "0")}`)

const addressOfRow = (row: string): string => `${row}@example.org`

const changesOfRow = (row: string): ReadonlyArray<Change> => [
  put.contact(sample.contact({ id: `con_${row}`, address: addressOfRow(row) })),
  put.suppression(sample.suppression({ addressKey: addressOfRow(row), address: addressOfRow(row) })),
  ...[1, 2, 3].map((n) => insert.event(sample.event({ id: `evt_${row}_${n}` })))
]

const asLargeAsTheyCome = law(
  "commit/as-large-as-they-come",
  {
    statement:
      "The store keeps a commit of a message with two bodies of 2 MiB and 50 deliveries, each with an event, and one of 320 changes of 64 contacts.",
    why: "decisions/0021-field-limits.md"
  },
  function* (store) {
    const sent = sample.message({ html: "h".repeat(bodyBytes), text: "ü".repeat(bodyBytes / 2) })
    const addresses = Array.from({ length: recipients }, (_, n) => `p${n}@example.org`)
    const inserted = addresses.map((address, n) =>
      sample.delivery({ id: `del_${String(n).padStart(2, "0")}`, address })
    )
    const people = addresses.map((address, n) => sample.contact({ id: `con_${n}`, address }))
    yield* commit(
      store,
      insert.message(sent),
      ...inserted.map(insert.delivery),
      ...inserted.map(({ id }) => insert.event(sample.event({ id: id.replace("del", "evt") as "evt_" }))),
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
      [bodyBytes, bodyBytes / 2]
    )
    yield* same("the deliveries", deliveries, inserted)
    yield* same("the number of events", events.length, recipients)
    yield* same("the contacts", found, people)
    yield* same("the number of requested suppressions", suppressed.length, recipients)
    yield* commit(store, ...importedRows.flatMap(changesOfRow))
    const [rows, reasons, appended] = yield* store.read([
      { _tag: "ContactsByAddress", projectId, addresses: importedRows.map(addressOfRow) },
      { _tag: "Suppressions", projectId, addressKeys: importedRows.map(addressOfRow) },
      { _tag: "Events", projectId, after: null, limit: 1000 }
    ])
    yield* same("the number of contacts of the rows", rows.filter((row) => row !== null).length, importedRows.length)
    yield* same("the number of their suppressions", reasons.filter((one) => one !== null).length, importedRows.length)
    yield* same("the number of all events", appended.length, recipients + 3 * importedRows.length)
  }
)

/** More than a queue of any reasonable size, in all. */
const largeCommits = 12

const largeOneByOne = law(
  "commit/many-large-one-by-one",
  {
    statement: "The store never refuses a large commit because of the size of commits that it has already answered.",
    why: "decisions/0021-field-limits.md"
  },
  function* (store) {
    const html = "h".repeat(bodyBytes)
    for (let n = 0; n < largeCommits; n++)
      yield* same(
        `the result of large commit ${n}`,
        yield* commitResult(store, insert.message(sample.message({ id: `msg_${n}`, html, text: html }))),
        "applied"
      )
    const last = yield* ask(store, { _tag: "Message", projectId, id: `msg_${largeCommits - 1}` })
    yield* same("the length of the last body", last?.text?.length, bodyBytes)
  }
)

const interruptedIsWhole = law(
  "commit/interrupted-is-whole",
  "If the caller of a commit is interrupted, the commit is kept whole or not at all, and the next commit is answered.",
  function* (store) {
    const rounds = Array.from({ length: 30 }, (_, n) => n)
    for (const n of rounds) {
      const fiber = yield* Effect.forkChild(
        commit(store, put.setting(`s${n}`), insert.delivery(sample.delivery({ id: `del_${n}` })), spend(1)),
        { startImmediately: true }
      )
      for (let i = 0; i < n % 4; i++) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
    }
    yield* commit(store, put.setting("next"))
    // One state: an interrupted commit may still be under way.
    const answers = yield* store.read([
      { _tag: "Counters", projectId, names: ["allowance"] },
      ...rounds.map((n) => ({ _tag: "Setting", name: `s${n}` }) as const),
      ...rounds.map((n) => ({ _tag: "Delivery", projectId, id: `del_${n}` }) as const)
    ] as const)
    const [[spent], ...records] = answers as readonly [ReadonlyArray<number>, ...ReadonlyArray<unknown>]
    const [settings, deliveries] = [records.slice(0, rounds.length), records.slice(rounds.length)]
    const kept = settings.map((value) => value !== null)
    yield* same(
      "the deliveries in the store",
      deliveries.map((one) => one !== null),
      kept
    )
    yield* same("the spent units", spent, kept.filter(Boolean).length)
  }
)

export const commitLaws: ReadonlyArray<StoreLaw> = [
  allOrNothing,
  tellsWhichGuard,
  visibleAtOnce,
  manyAtOnce,
  interruptedIsWhole,
  asLargeAsTheyCome,
  largeOneByOne
]
