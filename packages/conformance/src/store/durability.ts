/**
 * Laws of durability: what was acknowledged is there after a close and after a kill.
 */
import { Effect } from "effect"
import { wholeState } from "../arbitraries/query.ts"
import { holds, same } from "../expectation.ts"
import { startChild } from "./childProcess.ts"
import { claim } from "./claims.ts"
import {
  attempt,
  commit,
  contact,
  delivery,
  event,
  insert,
  message,
  noon,
  put,
  remembered,
  setting,
  spend
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { openAt, storeLaw, StorePlace } from "./StoreSubject.ts"

const why = "decisions/0005-durability.md"
const needs = { durable: true } as const

const reopened = storeLaw(
  "durability/stands-after-reopening",
  { says: "What stood when the store was closed stands when it is opened again, claims and leases too.", why, needs },
  () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      const projectId = "p1"
      const written = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openAt(place)
          yield* commit(
            store,
            put.setting("s0"),
            put.contact(contact({ id: "con_0", projectId, address: "a@x0" })),
            { _tag: "RecordIdempotency", record: remembered({ projectId, key: "k0" }), now: noon },
            insert.message(message({ id: "msg_0", projectId })),
            insert.delivery(delivery({ id: "del_0", messageId: "msg_0", projectId })),
            insert.attempt(attempt({ deliveryId: "del_0" })),
            insert.event(event({ id: "evt_0", projectId })),
            spend(3, null, "allowance", projectId)
          )
          yield* claim(store, { worker: "w1" })
          return yield* store.read(wholeState)
        })
      )
      const store = yield* openAt(place)
      const standing = yield* store.read(wholeState)
      for (const [n, query] of wholeState.entries()) yield* same(JSON.stringify(query), standing[n], written[n])
      yield* same("what another may claim", yield* claim(store, { worker: "w2" }), [])
    })
)

const killed = storeLaw(
  "durability/acknowledged-survives-a-kill",
  {
    says: "What was acknowledged to a process that is killed without warning is there when the store is opened again.",
    why,
    needs
  },
  () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      for (const name of ["first", "second"]) {
        const child = yield* startChild(place.child!, { job: "commit", name })
        yield* child.begin
        yield* child.heard(100)
        yield* child.kill
        const told = child.told().filter((line) => line.startsWith(name))
        yield* holds("the process commits", told.length >= 99, told.length)
        yield* Effect.scoped(
          Effect.flatMap(openAt(place), (store) =>
            Effect.forEach(told, (line) => Effect.flatMap(setting(store, line), (value) => same(line, value, "1")))
          )
        )
      }
    })
)

const closed = storeLaw(
  "durability/closed-is-said",
  { says: "A store that was closed says so to a commit, and keeps nothing of it.", why, needs },
  () =>
    Effect.gen(function* () {
      const place = yield* Effect.flatMap(StorePlace, ({ another }) => another)
      const store = yield* Effect.scoped(openAt(place))
      const failure = yield* Effect.flip(commit(store, put.setting("late")))
      yield* same("the failure", failure._tag, "StoreUnavailable")
      const again = yield* openAt(place)
      yield* same("the setting", yield* setting(again, "late"), null)
    })
)

export const durabilityLaws: ReadonlyArray<StoreLaw> = [reopened, killed, closed]
