/**
 * A tick of the event sender is interrupted, and later ticks continue: its event deliveries are sent again after the lease of the tick.
 */
import { project, sendEvents, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Fiber } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Contacts, EventSender } from "../../../src/index.ts"

const leaseMillis = 1500
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const createContact = (email: string) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email }))

/** Subscribes a handler that records the addresses of the new contacts. Until `answer`, the handler does not end. */
const hangingHandler = Effect.gen(function* () {
  const got: Array<string> = []
  let hangs = true
  yield* (yield* EventSender).subscribe(
    "audit",
    ({ data }) => {
      got.push(data.contact.email)
      return hangs ? Effect.never : Effect.void
    },
    ["contact.created"]
  )
  return { got, answer: () => void (hangs = false) }
})

/** Each second for twice the lease: creates a contact, and runs a tick that claims its event. */
const ticksWithNewEvents = Effect.gen(function* () {
  for (let second = 1; second <= (2 * leaseMillis) / 1000; second++) {
    yield* TestClock.adjust("1 second")
    yield* createContact(`c${second}@example.org`)
    yield* sendEvents
  }
})

describe.each(stores)("an interrupted tick of the event sender, over $name", (store) => {
  it("sends the event again after the lease of the tick, while later ticks claim other events", () =>
    withTestMail(store, { events: { leaseMillis } })(
      Effect.gen(function* () {
        const { got, answer } = yield* hangingHandler
        yield* createContact("first@example.org")
        const ticking = yield* Effect.forkChild(sendEvents)
        while (got.length === 0) yield* turn
        yield* Fiber.interrupt(ticking)
        answer()
        yield* ticksWithNewEvents
        expect(got.filter((email) => email === "first@example.org")).toHaveLength(2)
        expect(new Set(got).size).toBe(4)
      })
    ))
})

describe("an interrupted tick of the event sender", () => {
  it("sends the event again, wherever the tick was interrupted", async () => {
    const [memory] = stores
    // Each tick is interrupted one turn later than the tick before, until the handler gets the event.
    let hasBegun = false
    for (let turns = 0; !hasBegun; turns++) {
      const got = await withTestMail(memory, { events: { leaseMillis } })(
        Effect.gen(function* () {
          const handler = yield* hangingHandler
          yield* createContact("first@example.org")
          const ticking = yield* Effect.forkChild(Effect.provideService(sendEvents, MaxOpsBeforeYield, 5))
          for (let n = 0; n < turns; n++) yield* turn
          yield* Fiber.interrupt(ticking)
          hasBegun = handler.got.length > 0
          handler.answer()
          yield* ticksWithNewEvents
          return handler.got
        })
      )
      expect(got, `interrupted after ${turns} turns`).toContain("first@example.org")
    }
  })
})
