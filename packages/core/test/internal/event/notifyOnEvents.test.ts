/**
 * The event sender is woken after a commit with an event, also when nobody waits for the commit any more.
 */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { notifyOnEvents } from "../../../src/internal/event/notifyOnEvents.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"

const setting: Change = { _tag: "PutSetting", name: "a", value: "1" }
const event = { _tag: "AppendEvent" } as Change

/** Commits with a store that answers after 200 ms, interrupts the call after `interruptedAfter`, and returns when the event sender was woken. */
const wakeUpsOf = (changes: ReadonlyArray<Change>, interruptedAfter: number) => {
  const woken: Array<number> = []
  let millis = 0
  const store = { commit: () => Effect.sleep("200 millis") } as Partial<MailStoreShape> as MailStoreShape
  return Effect.gen(function* () {
    const notify = Effect.sync(() => void woken.push(millis))
    const { commit } = notifyOnEvents(store, notify, yield* Effect.scope)
    const call = yield* Effect.forkChild(commit(changes))
    for (; millis < 20_000; millis += 100) {
      if (millis === interruptedAfter) yield* Fiber.interrupt(call)
      yield* TestClock.adjust("100 millis")
    }
    return woken
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
}

describe("notifyOnEvents", () => {
  it("wakes the event sender once after a commit with an event", async () => {
    expect(await wakeUpsOf([setting, event], 1000)).toEqual([100])
  })

  it("wakes the event sender several times after an interrupted commit, because the store may still apply it", async () => {
    const woken = await wakeUpsOf([setting, event], 100)
    expect(woken.length).toBeGreaterThan(3)
    expect(woken[0]).toBe(100)
    expect(woken.find((at) => at > 200)).toBeLessThan(500)
  })

  it.each([50_000, 100])("wakes nobody after a commit without an event, interrupted after %i ms", async (after) => {
    expect(await wakeUpsOf([setting], after)).toEqual([])
  })
})
