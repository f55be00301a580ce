/**
 * Laws of the sweep of messages: which messages it deletes, and what goes with them.
 */
import type { Delivery, MailStoreShape, Message, Position, SweptMessages } from "@mailkeep/core/adapter"
import { deliveryInstants } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, insert, put, spend, sweepOldestMessages } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0042-attachments.md")

/** A delivery that ended before noon. */
const ended = (change: Partial<Delivery> = {}): Delivery =>
  sample.delivery({ createdAt: 1, queuedAt: 1, status: "delivered", dueAt: null, ...change })

const old = (change: Partial<Message> = {}): Message => sample.message({ createdAt: 1, attachments: [], ...change })

const sweep = (store: MailStoreShape, limit = 99) => sweepOldestMessages(store, noon, limit)

const isLeft = (store: MailStoreShape, id: string, project = projectId) =>
  Effect.map(ask(store, { _tag: "Message", projectId: project, id }), (one) => one !== null)

const endedOnly = law(
  "messages/only-ended",
  "A sweep deletes a message only when all of its deliveries have ended, and nothing happened to one of them at or after the instant.",
  function* (store) {
    const cases: ReadonlyArray<readonly [what: string, deliveries: ReadonlyArray<Partial<Delivery>>, kept: boolean]> = [
      ["without a delivery", [], false],
      ["with ended deliveries", [{}, { status: "suppressed" }], false],
      ...(["scheduled", "queued", "sending"] as const).map(
        (status) => [`with a delivery in status ${status}`, [{}, { status, dueAt: 1 }], true] as const
      ),
      ...deliveryInstants.flatMap((field) => [
        [`with ${field} at the instant`, [{}, { [field]: noon }], true] as const,
        [`with ${field} just before the instant`, [{}, { [field]: noon - 1 }], false] as const
      ])
    ]
    for (const [n, [, deliveries]] of cases.entries())
      yield* commit(
        store,
        insert.message(old({ id: `msg_${n}` })),
        ...deliveries.map((change, d) =>
          insert.delivery(ended({ id: `del_${n}_${d}`, messageId: `msg_${n}`, ...change }))
        )
      )
    yield* commit(
      store,
      insert.message(old({ id: "msg_later", createdAt: noon })),
      insert.message(old({ id: "msg_apart" })),
      insert.delivery(ended({ id: "del_apart", messageId: "msg_apart", projectId: otherId, bouncedAt: noon })),
      insert.delivery(ended({ id: "del_id", messageId: "msg_Apart", bouncedAt: noon })),
      insert.delivery(
        ended({ id: "del_case", messageId: "msg_apart", projectId: projectId.toUpperCase(), bouncedAt: noon })
      )
    )
    yield* sweep(store)
    for (const [n, [what, , kept]] of cases.entries())
      yield* same(`whether a message ${what} is left`, yield* isLeft(store, `msg_${n}`), kept)
    yield* same("whether a message that was created at the instant is left", yield* isLeft(store, "msg_later"), true)
    const apart = yield* store.read([
      { _tag: "Message", projectId, id: "msg_apart" },
      { _tag: "DeliveryById", id: "del_apart" },
      { _tag: "DeliveryById", id: "del_id" },
      { _tag: "DeliveryById", id: "del_case" }
    ])
    yield* same(
      "whether a message is left, and deliveries of other projects and of a message whose id differs in case",
      apart.map((one) => one !== null),
      [false, true, true, true]
    )
  }
)

const whole = law(
  "messages/with-all-that-is-theirs",
  "A sweep deletes a message together with its deliveries and their attempts, and those of no other message.",
  function* (store) {
    for (const n of [1, 2])
      yield* commit(
        store,
        insert.message(old({ id: `msg_${n}`, createdAt: n })),
        ...["a", "b"].flatMap((letter) => [
          insert.delivery(ended({ id: `del_${n}${letter}`, messageId: `msg_${n}` })),
          insert.attempt(sample.attempt({ deliveryId: `del_${n}${letter}` })),
          insert.attempt(sample.attempt({ deliveryId: `del_${n}${letter}`, number: 2 }))
        ]),
        insert.event(sample.event({ id: `evt_${n}` }))
      )
    const differsInCase = ended({ id: "del_1A", messageId: "msg_L" })
    yield* commit(
      store,
      insert.message(old({ id: "msg_l", createdAt: 0 })),
      insert.message(old({ id: "msg_L", createdAt: noon })),
      insert.delivery(differsInCase),
      insert.attempt(sample.attempt({ deliveryId: "del_1A" }))
    )
    yield* same("the number of a sweep with a limit of 2", yield* sweep(store, 2), 2)
    const others = yield* store.read([
      { _tag: "Message", projectId, id: "msg_l" },
      { _tag: "Message", projectId, id: "msg_L" },
      { _tag: "DeliveryById", id: "del_1A" },
      { _tag: "Attempts", projectId, deliveryId: "del_1A" }
    ])
    yield* same("the records of a message whose id differs in case", others, [
      null,
      old({ id: "msg_L", createdAt: noon }),
      differsInCase,
      [sample.attempt({ deliveryId: "del_1A" })]
    ])
    const answers = yield* store.read([
      { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
      { _tag: "DeliveryById", id: "del_1b" },
      { _tag: "Attempts", projectId, deliveryId: "del_1a" },
      { _tag: "Attempts", projectId, deliveryId: "del_1b" },
      { _tag: "Message", projectId, id: "msg_2" },
      { _tag: "Attempts", projectId, deliveryId: "del_2a" },
      { _tag: "Event", projectId, id: "evt_1" }
    ])
    yield* same("the records after the sweep", answers, [
      [],
      null,
      [],
      [],
      old({ id: "msg_2", createdAt: 2 }),
      [sample.attempt({ deliveryId: "del_2a" }), sample.attempt({ deliveryId: "del_2a", number: 2 })],
      sample.event({ id: "evt_1" })
    ])
    yield* same("the number of the next sweep", yield* sweep(store), 1)
    yield* same("the number of the last sweep", yield* sweep(store), 0)
    const reused = ended({ id: "del_1a", messageId: "msg_1" })
    yield* commit(store, insert.message(old()), insert.delivery(reused))
    const again = yield* store.read([
      { _tag: "DeliveryById", id: "del_1a" },
      { _tag: "Attempts", projectId, deliveryId: "del_1a" }
    ])
    yield* same("a delivery with the id of a deleted one, and its attempts", again, [reused, []])
  }
)

const contents = law(
  "messages/contents-with-the-last-message",
  "A content is deleted with the last message of its project that refers to it, in the same sweep, and not before.",
  function* (store) {
    const using = (...hashes: ReadonlyArray<string>) => hashes.map((hash) => sample.attachment({ hash }))
    const bytes = (n: number) => [Uint8Array.of(n, 0), Uint8Array.of(n, 1)]
    yield* commit(
      store,
      ...["only", "shared", "twice", "other"].map((hash, n) => put.content(hash, bytes(n))),
      put.content("shared", bytes(9), otherId),
      insert.message(old({ id: "msg_1", attachments: using("only", "shared", "twice", "twice", "missing") })),
      insert.message(old({ id: "msg_2", createdAt: 2, attachments: using("other", "shared") })),
      insert.message(old({ id: "msg_3", createdAt: 3, projectId: otherId, attachments: using("shared") }))
    )
    const left = () =>
      Effect.map(
        store.read([
          ...["only", "shared", "twice", "other"].flatMap((hash) =>
            [0, 1].map((chunk) => ({ _tag: "ContentChunk", projectId, hash, chunk }) as const)
          ),
          { _tag: "ContentChunk", projectId: otherId, hash: "shared", chunk: 0 }
        ]),
        (parts) => parts.map((chunk) => chunk !== null)
      )
    yield* same("the number of the first sweep", yield* sweep(store, 1), 1)
    const [gone, kept] = [false, true]
    const afterFirst = [gone, gone, kept, kept, gone, gone, kept, kept, kept]
    yield* same("the contents after the first sweep", yield* left(), afterFirst)
    yield* same("the number of the second sweep", yield* sweep(store, 1), 1)
    yield* same("the contents after the second sweep", yield* left(), [...Array.from({ length: 8 }, () => gone), kept])
    yield* commit(
      store,
      put.content("only", bytes(5)),
      put.content("other", bytes(6)),
      insert.message(old({ id: "msg_4", createdAt: noon, attachments: using("only", "other") })),
      insert.message(old({ id: "msg_5", createdAt: 5, attachments: using("other") })),
      insert.message(old({ id: "msg_6", createdAt: 6, attachments: using("other") }))
    )
    yield* same(
      "the number of the third sweep, which deletes several messages with one content",
      yield* sweep(store),
      3
    )
    const afterThird = [kept, kept, gone, gone, gone, gone, kept, kept, gone]
    yield* same("the contents after the third sweep", yield* left(), afterThird)
    const again = yield* ask(store, { _tag: "ContentChunk", projectId, hash: "only", chunk: 0 })
    yield* same("a content that was written again", again, Uint8Array.of(5, 0))
  }
)

const audited = law(
  "messages/usage-audit-stays",
  {
    statement:
      "After a sweep of messages, the usage audit gives the same numbers, because the sweep counts what it deletes.",
    why: "decisions/0015-limits.md"
  },
  function* (store) {
    const days = ["2026-11-20", "2026-11-21"] as const
    for (const [n, project] of [projectId, projectId, projectId, otherId].entries())
      yield* commit(
        store,
        insert.message(old({ id: `msg_${n}`, projectId: project, createdAt: n + 1 })),
        ...[0, 1, 2].map((d) =>
          insert.delivery(
            ended({
              id: `del_${n}_${d}`,
              messageId: `msg_${n}`,
              projectId: project,
              chargedAt: d === 0 ? null : 1,
              countedDay: d === 2 ? null : days[(n + d) % 2]!
            })
          )
        ),
        spend(2, null, "allowance", project),
        spend(1, null, `daily:${days[0]}`, project),
        spend(1, null, `daily:${days[1]}`, project)
      )
    const audit = (project: string) =>
      Effect.map(ask(store, { _tag: "UsageAudit", projectId: project }), ({ charged, counted }) => ({
        charged,
        counted
      }))
    const before = yield* Effect.forEach([projectId, otherId], audit)
    for (const limit of [1, 1, 9]) {
      yield* sweep(store, limit)
      yield* same("the audit after a sweep", yield* Effect.forEach([projectId, otherId], audit), before)
    }
    const names = ["allowance", "deletedCharged", `deletedDaily:${days[0]}`, `deletedDaily:${days[1]}`] as const
    const counters = yield* Effect.forEach([projectId, otherId], (project) =>
      ask(store, { _tag: "Counters", projectId: project, names })
    )
    yield* same("the counters after the sweeps", counters, [
      [6, 6, 3, 3],
      [2, 2, 1, 1]
    ])
  }
)

const bounded = law(
  "messages/examines-up-to-the-limit",
  "A sweep examines as many messages as its limit, oldest first and of one age by id, after its position. It returns the position of the last one, or null if there were fewer.",
  function* (store) {
    const createdAt = [3, 2, 2, 1, 4, 5]
    // Of two with one time, the upper case is the first.
    const ids = ["c", "B", "a", "d", "e", "f"].map((letter) => `msg_${letter}` as const)
    const projectOf = (n: number) => (n === 1 ? otherId : projectId)
    for (const [n, at] of createdAt.entries())
      yield* commit(
        store,
        insert.message(old({ id: ids[n]!, projectId: projectOf(n), createdAt: at })),
        // Two that wait are older than the others.
        insert.delivery(
          ended({
            id: `del_${n}`,
            messageId: ids[n]!,
            projectId: projectOf(n),
            ...(n === 3 || n === 1 ? { status: "scheduled", dueAt: noon } : {})
          })
        )
      )
    yield* commit(store, insert.message(old({ id: "msg_later", createdAt: noon })))
    const sweepAfter = (after: Position | null, limit: number) => store.sweepMessages({ before: noon, after, limit })
    const left = Effect.filter([0, 1, 2, 3, 4, 5], (n) => isLeft(store, ids[n]!, projectOf(n)))
    const at = (n: number) => ({ createdAt: createdAt[n]!, id: ids[n]! })
    const sweeps: ReadonlyArray<
      readonly [after: Position | null, limit: number, swept: SweptMessages, left: ReadonlyArray<number>]
    > = [
      [null, 2, { deleted: 0, next: at(1) }, [0, 1, 2, 3, 4, 5]],
      [at(1), 1, { deleted: 1, next: at(2) }, [0, 1, 3, 4, 5]],
      [at(0), 2, { deleted: 2, next: at(5) }, [0, 1, 3]],
      [at(5), 1, { deleted: 0, next: null }, [0, 1, 3]],
      [null, 4, { deleted: 1, next: null }, [1, 3]]
    ]
    for (const [n, [after, limit, swept, expected]] of sweeps.entries()) {
      yield* same(`what sweep ${n + 1} did`, yield* sweepAfter(after, limit), swept)
      yield* same(`the messages that are left after sweep ${n + 1}`, yield* left, expected)
    }
  }
)

export const messageSweepLaws: ReadonlyArray<StoreLaw> = [endedOnly, whole, contents, audited, bounded]
