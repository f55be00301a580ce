/**
 * The behaviour of batches of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { InvalidArgument, SenderDomainNotVerified } from "../../src/index.ts"
import { all, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { issuesOf } from "./issues.ts"

export const batchCases = ({ open }: HandleUnderTest): void => {
  describe("sendBatch", () => {
    it("returns one result for each message, in their order", async () => {
      const { mail } = await open({ from: "Acme <hi@acme.example>" })
      const { from: _, ...unsigned } = welcome
      const results = await mail.sendBatch({
        messages: [unsigned, { ...welcome, to: "no address" }, { ...welcome, from: "hi@other.example" }, welcome]
      })
      expect(results).toMatchObject([
        { status: "fulfilled", value: { totalQueued: 1, replayed: false } },
        { status: "rejected", reason: { issues: [{ path: ["messages", 1, "to"], code: "invalid_value" }] } },
        { status: "rejected", reason: { _tag: "SenderDomainNotVerified", domain: "other.example" } },
        { status: "fulfilled", value: { totalQueued: 1 } }
      ])
      expect(results[1]).toMatchObject({ reason: expect.any(InvalidArgument) })
      expect(results[2]).toMatchObject({ reason: expect.any(SenderDomainNotVerified) })
    })

    it("refuses only the messages that JSON cannot contain, and names them", async () => {
      const { mail } = await open()
      const metadata = { total: 1n } as never
      const messages = [{ ...welcome, metadata }, welcome, undefined, { ...welcome, attachments: [{ contentId: 1n }] }]
      const batch = { messages: messages as never, idempotencyKey: "nightly" }
      for (const replayed of [false, true]) {
        const results = await mail.sendBatch(batch)
        expect(results).toMatchObject([
          { status: "rejected", reason: { issues: [{ path: ["messages", 0, "metadata"], code: "invalid_value" }] } },
          { status: "fulfilled", value: { replayed } },
          { status: "rejected", reason: { issues: [{ path: ["messages", 2], code: "invalid_type" }] } },
          { status: "rejected", reason: { issues: expect.arrayContaining([expect.anything()]) } }
        ])
        expect(results[0]).toMatchObject({ reason: expect.any(InvalidArgument) })
      }
      expect((await all(mail.deliveries.each())).length).toBe(1)
    })

    it("gives the reason of a refused message a message that a framework may change", async () => {
      const { mail } = await open()
      const [refused] = await mail.sendBatch({ messages: [{ ...welcome, to: "no address" }] })
      const { reason } = refused as PromiseRejectedResult
      expect(structuredClone(reason).message).toBe(reason.message)
      reason.message = `While the server starts: ${reason.message}`
      expect(reason.message).toMatch(/^While the server starts: messages\[0\]\.to /)
    })

    it("sends no message of a repeated batch again", async () => {
      const { mail } = await open()
      const batch = { messages: [welcome, { ...welcome, to: "bob@example.org" }], idempotencyKey: "nightly" }
      const first = await mail.sendBatch(batch)
      const second = await mail.sendBatch(batch)
      const ids = (results: typeof first) =>
        results.map((one) => (one.status === "fulfilled" ? one.value.messageId : null))
      expect(ids(second)).toEqual(ids(first))
      expect(second).toMatchObject([{ value: { replayed: true } }, { value: { replayed: true } }])
      expect((await all(mail.deliveries.each())).length).toBe(2)
    })

    it("refuses only the messages above a limit of the plan", async () => {
      const { mail } = await open({ plan: { dailySends: 1 } })
      const results = await mail.sendBatch({ messages: [welcome, welcome] })
      expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
      const refused = results.find((one) => one.status === "rejected")!
      expect(refused).toMatchObject({ reason: { _tag: "PlanLimitReached", code: "daily_sending_limit_exceeded" } })
    })

    it.each([
      ["no message", [], "too_short"],
      ["more than 100 messages", Array.from({ length: 101 }, () => welcome), "too_many_items"],
      ["no list", "welcome", "invalid_type"]
    ])("refuses a batch with %s", async (_, messages, code) => {
      const { mail } = await open()
      expect(await issuesOf(mail.sendBatch({ messages: messages as never }))).toEqual({
        argument: "input",
        issues: [["messages", code]]
      })
    })
  })
}
