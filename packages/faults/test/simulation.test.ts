/**
 * The simulation replays a seed, and its verdict notices what is wrong: each way of spoiling the store is found within a few seeds.
 */
import type { Change } from "@mailkeep/core"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Sabotage } from "../src/simulation/simulate.ts"
import { liveThrough } from "../src/simulation/simulate.ts"

const seeds = Array.from({ length: 40 }, (_, n) => n + 1)

/** Commits something else than was asked. */
const committing =
  (change: (changes: ReadonlyArray<Change>) => ReadonlyArray<Change>): Sabotage =>
  (store) => ({ ...store, commit: (changes) => store.commit(change(changes)) })

const without = (tag: Change["_tag"], spoilt: (change: Change) => boolean = () => true) =>
  committing((changes) => changes.filter((change) => change._tag !== tag || !spoilt(change)))

let count = 0
/** Of every few. */
const nowAndThen = () => count++ % 5 === 0

describe("a seed", () => {
  it.each(seeds)("%i lives through everything", (seed) => {
    expect(liveThrough(seed).problems).toEqual([])
  })

  it("replays, commit for commit", () => {
    expect(liveThrough(7)).toEqual(liveThrough(7))
    expect(liveThrough(7)).not.toEqual(liveThrough(8))
  })
})

describe("the verdict notices", () => {
  it.each<[what: string, sabotage: Sabotage]>([
    ["a lost message", without("InsertMessage", nowAndThen)],
    ["a lost delivery", without("InsertDelivery", nowAndThen)],
    ["a lost idempotency record", without("RecordIdempotency", nowAndThen)],
    ["a lost event", without("AppendEvent", nowAndThen)],
    ["an event that is told to nobody", without("InsertPush", nowAndThen)],
    ["a counter that is not given back", without("SpendCounter", (change) => "by" in change && change.by < 0)],
    ["a suppression that is lost", without("PutSuppression", nowAndThen)],
    [
      "a final dot that was not marked",
      without("MoveAttempt", (change) => "next" in change && "phase" in change.next && change.next.phase === "dot")
    ],
    [
      "a guard that is not looked at",
      without("Expect", (change) => change._tag === "Expect" && change.record.kind === "Suppression")
    ],
    [
      "a commit that is acknowledged and forgotten",
      (store) => ({ ...store, commit: (changes) => (nowAndThen() ? Effect.void : store.commit(changes)) })
    ]
  ])("%s", { timeout: 120_000 }, (_, sabotage) => {
    const found = Array.from({ length: 400 }, (_, n) => n + 1).find((seed) => {
      try {
        return liveThrough(seed, sabotage).problems.length > 0
      } catch {
        return true
      }
    })
    expect(found).toBeDefined()
  })
})
