/**
 * Laws of reads: each query has one answer, in the given order, and all answers of a read are from one state.
 */
import type { Position } from "@mailkeep/core/adapter"
import { noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, insert, put, spend } from "./changes.ts"
import { ask, checkAnswers } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const oneAnswerEach = law(
  "read/one-answer-each",
  "A read gives one answer for each query, in order. The answer for a missing record is null, empty or 0.",
  function* (store) {
    yield* commit(store, put.setting("a", "A"), put.setting("b", "B"), spend(3))
    const answers = yield* store.read([
      { _tag: "Setting", name: "b" },
      { _tag: "Setting", name: "none" },
      { _tag: "Setting", name: "a" },
      { _tag: "Setting", name: "b" },
      { _tag: "Counters", projectId, names: ["scheduledRecipients", "allowance", "scheduledRecipients"] },
      { _tag: "ContactsByAddress", projectId, addresses: ["x@example.org", "y@example.org"] },
      { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_none" },
      { _tag: "Projects" }
    ])
    yield* same("the answers", answers, ["B", null, "A", "B", [0, 3, 0], [null, null], [], []])
    yield* same("the answer to no query", yield* store.read([]), [])
  }
)

const givenOrder = law(
  "read/answers-in-the-given-order",
  "The answers for several addresses, address keys or names are in their order, with null or 0 for a missing one, also twice.",
  function* (store) {
    const people = ["b", "a"].map((name) => sample.contact({ id: `con_${name}`, address: `${name}@example.org` }))
    const reasons = ["b", "a"].map((name) => sample.suppression({ addressKey: name, address: null }))
    yield* commit(
      store,
      ...people.map((one) => put.contact(one)),
      ...reasons.map((one) => put.suppression(one)),
      spend(2, null, "list:b"),
      spend(1, null, "list:a")
    )
    const [b, a] = people
    const [second, first] = reasons
    const names = ["a", "x", "b", "a", "X"]
    const answers = yield* store.read([
      { _tag: "ContactsByAddress", projectId, addresses: names.map((name) => `${name}@example.org`) },
      { _tag: "Suppressions", projectId, addressKeys: names },
      { _tag: "Counters", projectId, names: names.map((name) => `list:${name}` as const) },
      { _tag: "ContactsByAddress", projectId, addresses: [] },
      { _tag: "Suppressions", projectId, addressKeys: [] },
      { _tag: "Counters", projectId, names: [] }
    ])
    yield* same("the answers", answers, [
      [a, null, b, a, null],
      [first, null, second, first, null],
      [1, 0, 2, 1, 0],
      [],
      [],
      []
    ])
  }
)

const oneState = law(
  "read/one-state",
  "All queries of one read are answered from one state, however many commits run at the same time.",
  function* (store) {
    const writing = Effect.forEach(
      Array.from({ length: 60 }),
      () =>
        Effect.andThen(
          commit(store, spend(1, null, "scheduledRecipients"), spend(1, null, "allowance")),
          Effect.yieldNow
        ),
      { concurrency: 4, discard: true }
    )
    const reading = Effect.forEach(
      Array.from({ length: 60 }),
      () =>
        Effect.gen(function* () {
          const [[waiting], [allowance]] = yield* store.read([
            { _tag: "Counters", projectId, names: ["scheduledRecipients"] },
            { _tag: "Counters", projectId, names: ["allowance"] }
          ])
          yield* same("two counters that every commit changes together", waiting, allowance)
          yield* Effect.yieldNow
        }),
      { discard: true }
    )
    yield* Effect.all([writing, reading], { concurrency: "unbounded", discard: true })
  }
)

const byIdAlone = law(
  "read/delivery-by-its-id-alone",
  {
    statement: "A delivery is found by its id alone, whatever its project and its status.",
    why: "decisions/0003-delivery-machine.md"
  },
  function* (store) {
    const records = [
      sample.delivery({ id: "del_1" }),
      sample.delivery({ id: "del_2", projectId: otherId, status: "bounced", dueAt: null })
    ]
    yield* commit(store, ...records.map(insert.delivery))
    const answers = yield* store.read([
      { _tag: "DeliveryById", id: "del_2" },
      { _tag: "DeliveryById", id: "del_1" },
      { _tag: "DeliveryById", id: "del_3" },
      { _tag: "DeliveryById", id: "DEL_1" }
    ])
    yield* same("the answers", answers, [records[1], records[0], null, null])
  }
)

const messagesBefore = law(
  "read/messages-before-an-instant",
  "The messages of all projects that were created before an instant are listed by the time of their creation, then by id, after a position.",
  function* (store) {
    const messages = [
      sample.message({ id: "msg_3", createdAt: 5 }),
      sample.message({ id: "msg_1", createdAt: 10, projectId: otherId }),
      sample.message({ id: "msg_4", createdAt: 10 }),
      sample.message({ id: "msg_2", createdAt: 11 }),
      sample.message({ id: "msg_5", createdAt: 12 })
    ]
    yield* commit(store, ...messages.toReversed().map(insert.message))
    const found = (before: number, after: Position | null, limit: number) =>
      ask(store, { _tag: "MessagesBefore", before, after, limit })
    yield* same("all messages before an instant", yield* found(12, null, 9), messages.slice(0, 4))
    yield* same("the oldest messages", yield* found(99, null, 2), messages.slice(0, 2))
    yield* same(
      "the messages after a position",
      yield* found(12, { createdAt: 10, id: "msg_1" }, 9),
      messages.slice(2, 4)
    )
    yield* same("the messages after no message", yield* found(12, { createdAt: 10, id: "msg_2" }, 1), [messages[2]])
  }
)

/** No record contains U+0000, because every service refuses such a text. A request can still ask for one. */
const impossible = "a\0b"

const impossibleTexts = law(
  "read/impossible-texts",
  "A query with a text that no record contains, such as one with U+0000, finds nothing.",
  function* (store) {
    yield* commit(
      store,
      put.contact(sample.contact()),
      insert.message(sample.message()),
      insert.delivery(sample.delivery())
    )
    const part = { after: null, limit: 9, scanLimit: 99 } as const
    yield* checkAnswers(store, [
      [{ _tag: "Contact", projectId, id: impossible as "con_1" }, null],
      [{ _tag: "Message", projectId, id: impossible as "msg_1" }, null],
      [{ _tag: "DeliveryById", id: impossible }, null],
      [{ _tag: "Idempotency", projectId, key: impossible }, null],
      [{ _tag: "ContactsByAddress", projectId, addresses: [impossible, "x"] }, [null, null]],
      [{ _tag: "Suppressions", projectId, addressKeys: [impossible, "x"] }, [null, null]],
      [
        { _tag: "LogPage", projectId, filters: { ...noLogFilters, search: impossible }, ...part },
        { items: [], next: null }
      ],
      [
        { _tag: "ContactScan", projectId, filters: { ...noContactFilters, search: impossible }, skip: 0, ...part },
        { items: [], matches: 0, next: null }
      ]
    ])
  }
)

export const readLaws: ReadonlyArray<StoreLaw> = [
  messagesBefore,
  oneAnswerEach,
  givenOrder,
  oneState,
  byIdAlone,
  impossibleTexts
]
