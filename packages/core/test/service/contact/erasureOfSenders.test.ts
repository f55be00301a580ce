/**
 * The erasure of a person whose mail to others waits: the mail leaves as it was written, and the person is erased afterwards.
 */
import { captured, project, send, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Contacts, MailStore, Sending } from "../../../src/index.ts"

const email = "ada@example.com"
const erase = Effect.flatMap(Contacts, (contacts) => contacts.erase(project, email))
const scheduledAt = new Date(start + 3_600_000).toISOString()

const storedMessage = (id: string) =>
  Effect.gen(function* () {
    const [message] = yield* (yield* MailStore).read([{ _tag: "Message", projectId: project, id }])
    return message!
  })

describe.each(stores)("Contacts.erase of the person who wrote a message, over $name", (store) => {
  it.each([
    ["from the address", { from: `Ada <${email}>` }],
    ["with the address for replies", { replyTo: email }]
  ])("keeps a waiting message %s until it has left", (_, written) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { messageId } = yield* send("k", { ...written, to: "bob@example.org", scheduledAt })
        const before = yield* storedMessage(messageId)
        expect(yield* erase).toMatchObject({ isComplete: false, underWay: 1, ended: 0 })
        expect(yield* storedMessage(messageId)).toEqual(before)
        yield* TestClock.adjust("1 hour")
        yield* tick
        expect((yield* captured)[0]!.message).toMatchObject({
          from: { address: before.from },
          replyTo: before.replyTo
        })
        expect(yield* erase).toMatchObject({ isComplete: true, underWay: 0, redacted: { Message: 1 } })
        expect(JSON.stringify(yield* storedMessage(messageId))).not.toContain(email)
      })
    )
  )

  it("erases the person from a message that was canceled", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { messageId } = yield* send("k", { from: email, to: "bob@example.org", scheduledAt })
        yield* (yield* Sending).cancel(project, messageId)
        expect(yield* erase).toMatchObject({ isComplete: true, underWay: 0 })
        expect(JSON.stringify(yield* storedMessage(messageId))).not.toContain(email)
      })
    ))
})
