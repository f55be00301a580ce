/**
 * How each `ProjectHandle` schedules, reschedules and cancels a message.
 */
import { describe, expect, it } from "vitest"
import { MessageNotFound, MessageNotScheduled } from "../../src/index.ts"
import { rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { inOneHour, issuesOf } from "./issues.ts"

export const schedulingCases = ({ open }: HandleUnderTest): void => {
  describe("cancel and reschedule", () => {
    it("schedules with a Date, a number and a text", async () => {
      const { mail } = await open()
      const time = inOneHour()
      for (const scheduledAt of [time, time.getTime(), time.toISOString()])
        expect((await mail.send({ ...welcome, scheduledAt })).scheduledAt).toBe(time.getTime())
    })

    it.each([
      ["a time that has passed", new Date(0), "not_in_future"],
      ["a Date without a time", new Date(Number.NaN), "invalid_value"],
      ["a fraction of a millisecond", Date.now() + 3_600_000.5, "invalid_value"],
      ["a text without an offset", "2026-12-24T18:00:00", "invalid_value"]
    ])("refuses %s", async (_, scheduledAt, code) => {
      const { mail } = await open()
      expect((await issuesOf(mail.send({ ...welcome, scheduledAt }))).issues).toEqual([["scheduledAt", code]])
      const { messageId } = await mail.send({ ...welcome, scheduledAt: inOneHour() })
      expect((await issuesOf(mail.reschedule(messageId, scheduledAt))).issues).toEqual([["scheduledAt", code]])
    })

    it("reschedules and cancels a scheduled message", async () => {
      const { mail } = await open()
      const { messageId, deliveryIds } = await mail.send({ ...welcome, scheduledAt: inOneHour() })
      const later = new Date(inOneHour().getTime() + 60_000)
      expect(await mail.reschedule(messageId, later)).toEqual({ messageId, deliveryIds, scheduledAt: later.getTime() })
      const canceled = await mail.cancel(messageId)
      expect(canceled).toEqual({ messageId, deliveryIds, canceledAt: expect.any(Number) })
      expect(await mail.cancel(messageId)).toEqual(canceled)
      expect((await mail.deliveries.get(deliveryIds[0]!)).canceledAt).toBe(canceled.canceledAt)
    })

    it("refuses to cancel or reschedule a message that is not scheduled", async () => {
      const { mail } = await open()
      const { messageId } = await mail.send(welcome)
      for (const call of [mail.cancel(messageId), mail.reschedule(messageId, inOneHour())]) {
        const failure = await rejection(call)
        expect(failure).toBeInstanceOf(MessageNotScheduled)
        expect(failure).toMatchObject({ kind: "conflict", isRetryable: false, messageId })
      }
    })

    it.each(["msg_unknown", "", "..", ".", "a/b", "%2e%2e", "ü", "\ud800"])(
      "finds no message with the id %j",
      async (messageId) => {
        const { mail } = await open()
        const failure = await rejection(mail.cancel(messageId))
        expect(failure).toBeInstanceOf(MessageNotFound)
        expect(failure).toMatchObject({ kind: "not_found", messageId })
      }
    )

    it("refuses an id that is no text", async () => {
      const { mail } = await open()
      expect(await issuesOf(mail.cancel(7 as never))).toEqual({
        argument: "ids",
        issues: [["messageId", "invalid_type"]]
      })
    })
  })
}
