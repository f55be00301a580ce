/**
 * Tests the usage of a plan: it follows each send, cancel and contact, and the counts of each day are those of the audit.
 */
import { expectBalanced, project, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { Contacts, DeliveryLog, Projects, Sending } from "../../../src/index.ts"
import { at, many } from "../message/sendOptions.ts"

const usage = (input = {}) => Effect.flatMap(Projects, (projects) => projects.usage(project, input))

describe.each(stores)("Projects.usage, over $name", (store) => {
  it("shows what is used of each limit, and the recipients of each day", () =>
    withTestMail(store, { plan: { dailySends: 10, sendingAllowance: 100, contacts: 5 } })(
      Effect.gen(function* () {
        expect(yield* usage()).toEqual({
          dailySends: { used: 0, limit: 10 },
          sendingAllowance: { used: 0, limit: 100 },
          scheduledRecipients: { used: 0, limit: null },
          contacts: { used: 0, limit: 5 },
          days: [{ day: "2026-11-21", recipients: 0 }]
        })
        yield* (yield* Contacts).create(project, { email: "ada@example.org" })
        yield* send("now", { to: many(3) })
        const later = yield* send("later", { to: many(2), ...at(start + dayMillis) })
        yield* send("much-later", { to: many(4), ...at(start + 2 * dayMillis) })
        yield* (yield* Sending).cancel(project, later.messageId)
        yield* tick
        expect(yield* usage({ endDate: "2026-11-24" })).toEqual({
          dailySends: { used: 3, limit: 10 },
          sendingAllowance: { used: 3, limit: 100 },
          scheduledRecipients: { used: 4, limit: null },
          contacts: { used: 1, limit: 5 },
          days: [
            { day: "2026-11-21", recipients: 3 },
            { day: "2026-11-22", recipients: 0 },
            { day: "2026-11-23", recipients: 4 },
            { day: "2026-11-24", recipients: 0 }
          ]
        })
        yield* expectBalanced
      })
    ))

  it("begins a new day at midnight UTC, and keeps the earlier days", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k", { to: many(2) })
        yield* TestClock.adjust("12 hours")
        expect(yield* usage({ startDate: "2026-11-21" })).toMatchObject({
          dailySends: { used: 0 },
          sendingAllowance: { used: 2 },
          days: [
            { day: "2026-11-21", recipients: 2 },
            { day: "2026-11-22", recipients: 0 }
          ]
        })
      })
    ))

  it("counts each day as the audit does, also after a sweep has deleted the messages", () =>
    withTestMail(store, { retention: { messagesMillis: dayMillis, bodiesMillis: dayMillis } })(
      Effect.gen(function* () {
        for (const [n, key] of ["a", "b", "c"].entries()) {
          yield* send(key, { to: many(n + 1) })
          yield* tick
          yield* TestClock.adjust(13 * hourMillis)
        }
        const log = yield* DeliveryLog
        const counts = Effect.gen(function* () {
          const { days } = yield* usage({ startDate: start })
          const { counted } = yield* log.usageAudit(project)
          expect(days.filter(({ recipients }) => recipients > 0)).toEqual(
            counted.map(({ day, deliveries }) => ({ day, recipients: deliveries }))
          )
          return days.map(({ recipients }) => recipients)
        })
        const before = yield* counts
        expect(before).toEqual([1, 5, 0])
        yield* TestClock.adjust(3 * dayMillis)
        yield* tick
        expect((yield* log.list(project)).items).toEqual([])
        expect(yield* counts).toEqual([...before, 0, 0, 0])
      })
    ))

  it("shows nothing used for a project that does not exist", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { days, ...limits } = yield* (yield* Projects).usage("prj_unknown")
        expect(days).toEqual([{ day: "2026-11-21", recipients: 0 }])
        expect(Object.values(limits).map(({ used }) => used)).toEqual([0, 0, 0, 0])
        expect((yield* (yield* Projects).list).map(({ id }) => id)).toEqual([project])
      })
    ))
})
