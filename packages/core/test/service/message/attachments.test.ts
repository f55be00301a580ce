/**
 * Sends files: they are stored once, handed over whole, and deleted with the last message that has them.
 */
import { StubTransport } from "@mailkeep/smtp"
import {
  delivery,
  detail,
  expectBalanced,
  project,
  send,
  sendInput,
  stores,
  summaries,
  captured,
  tick,
  tickWith,
  withTestMail
} from "@mailkeep/test-support"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { AttachmentInput } from "../../../src/index.ts"
import { Access, ApiKeys, MailStore, Sending } from "../../../src/index.ts"
import { chunkBytes } from "../../../src/domain/message/attachmentContent.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import type { TransportShape } from "../../../src/port/Transport.ts"
import { contentOf, read, refusalOf } from "./attachmentReads.ts"

const bytes = (size: number, seed = 7): Uint8Array => Uint8Array.from({ length: size }, (_, at) => (at * seed) % 256)

const hashOf = (deliveryId: string, index = 0) =>
  Effect.gen(function* () {
    const [message] = yield* (yield* MailStore).read([
      { _tag: "Message", projectId: project, id: (yield* delivery(deliveryId)).messageId }
    ])
    return message!.attachments[index]!.hash
  })

/** A transport that does not compare the bytes that it reads with the size of the file. */
const sendingAllThatItReads = Effect.map(StubTransport.StubTransport, (stub): TransportShape => ({
  ...stub,
  handOff: (one) =>
    Effect.as(Effect.forEach(one.message.attachments, read), {
      _tag: "Delivered",
      reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "OK" }
    } as const)
}))

const isStored = (hash: string) =>
  Effect.map(
    Effect.flatMap(MailStore, (store) => store.read([{ _tag: "ContentChunk", projectId: project, hash, chunk: 0 }])),
    ([part]) => part !== null
  )

describe.each(stores)("attachments, over $name", (store) => {
  it("hands over the files of a message with their bytes, to each recipient and as often as they are read", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const large = bytes(2 * chunkBytes + 5)
        yield* send("k", {
          to: "ada@example.org",
          cc: "bob@example.org",
          attachments: [
            { filename: "large.bin", content: large },
            { filename: "note.txt", content: "Grüße" },
            { filename: "logo.png", content: new Uint8Array(0), contentId: "logo" }
          ]
        })
        yield* tick
        const messages = yield* captured
        expect(messages.map(({ envelope }) => envelope.to)).toEqual(["ada@example.org", "bob@example.org"])
        for (const { message } of messages) {
          expect(message.attachments).toMatchObject([
            { filename: "large.bin", contentType: "application/octet-stream", contentId: null, size: large.length },
            { filename: "note.txt", contentType: "text/plain", disposition: "attachment", size: 7 },
            { filename: "logo.png", contentType: "image/png", contentId: "logo", disposition: "inline", size: 0 }
          ])
          const [first, note, logo] = message.attachments
          for (let time = 0; time < 2; time++) {
            expect(Buffer.compare(yield* contentOf(first!), large)).toBe(0)
            expect((yield* contentOf(note!)).toString()).toBe("Grüße")
            expect(yield* read(logo!)).toEqual([])
          }
          expect((yield* read(first!)).map(({ length }) => length)).toEqual([chunkBytes, chunkBytes, 5])
        }
        const { id } = (yield* summaries)[0]!
        const { message } = yield* detail(id)
        expect(message.attachments[1]).toEqual({
          filename: "note.txt",
          contentType: "text/plain",
          contentId: null,
          disposition: "attachment",
          size: 7
        })
      })
    ))

  it("replays a send with the same files, and refuses its idempotency key for another content, name or order", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const [a, b] = [
          { filename: "a.bin", content: bytes(9) },
          { filename: "b.bin", content: bytes(9, 3) }
        ]
        const first = yield* send("k", { attachments: [a, b] })
        expect(yield* send("k", { attachments: [{ ...a, content: bytes(9) }, b] })).toEqual({
          ...first,
          replayed: true
        })
        const others: ReadonlyArray<ReadonlyArray<AttachmentInput>> = [
          [],
          [b, a],
          [{ ...a, filename: "c.bin" }, b],
          [{ ...a, content: bytes(10) }, b]
        ]
        for (const attachments of others) {
          const refused = yield* Effect.flip(send("k", { attachments }))
          expect(refused).toMatchObject({ issues: [{ code: "idempotency_key_reused" }] })
        }
      })
    ))

  it("stores equal contents once, and deletes them with the last message that has them", () =>
    withTestMail(store, { retention: { messagesMillis: 10 * dayMillis } })(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        const shared = { filename: "terms.pdf", content: bytes(1000) }
        const [early] = (yield* send("a", {
          attachments: [shared, { filename: "own.pdf", content: bytes(10) }]
        })).deliveryIds
        yield* byClock(tick)
        const [terms, own] = [yield* hashOf(early!), yield* hashOf(early!, 1)]
        yield* TestClock.adjust("5 days")
        const [late] = (yield* send("b", { attachments: [{ ...shared, filename: "other.pdf" }] })).deliveryIds
        expect(yield* hashOf(late!)).toBe(terms)
        yield* byClock(tick)
        yield* TestClock.adjust("6 days")
        yield* byClock(tick)
        expect(yield* Effect.exit(detail(early!))).toMatchObject({ _tag: "Failure" })
        expect([yield* isStored(terms), yield* isStored(own)]).toEqual([true, false])
        expect((yield* detail(late!)).message.attachments).toHaveLength(1)
        yield* expectBalanced
        yield* TestClock.adjust("5 days")
        yield* byClock(tick)
        expect(yield* isStored(terms)).toBe(false)
        expect(yield* summaries).toEqual([])
        yield* expectBalanced
      })
    ))

  it("keeps messages when no retention is set", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { byClock } = yield* settableClock
        const { deliveryIds } = yield* send("a", { attachments: [{ filename: "a", content: "a" }] })
        yield* byClock(tick)
        yield* TestClock.adjust("3650 days")
        yield* byClock(tick)
        yield* TestClock.adjust("1 day")
        yield* byClock(tick)
        expect(yield* isStored(yield* hashOf(deliveryIds[0]!))).toBe(true)
      })
    ))

  it("compares the files with the limit of the plan, which is 20 MiB by default", async () => {
    const sizes = (...list: ReadonlyArray<number>) =>
      list.map((size, n) => ({ filename: `${n}.bin`, content: new Uint8Array(size) }))
    await withTestMail(store)(
      Effect.gen(function* () {
        const half = 10 * 1024 * 1024
        expect(yield* refusalOf(sizes(half, half + 1))).toEqual(["attachments too_large"])
        expect(yield* refusalOf(sizes(half, half))).toEqual([])
      })
    )
    await withTestMail(store, { plan: { attachmentBytes: 5 } })(
      Effect.gen(function* () {
        expect(yield* refusalOf(sizes(3, 3))).toEqual(["attachments too_large"])
        expect(yield* refusalOf(sizes(3, 2))).toEqual([])
      })
    )
  })

  it.each<[string, ReadonlyArray<Uint8Array>]>([
    ["is missing", []],
    ["is shorter than the message says", [bytes(chunkBytes), bytes(4)]],
    ["is longer than the message says", [bytes(chunkBytes), bytes(6)]]
  ])("returns a delivery to the queue and sends nothing when the stored content %s", (_, chunks) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { deliveryIds } = yield* send("model", { to: "model@example.org" })
        const model = yield* delivery(deliveryIds[0]!)
        const [message] = yield* mailStore.read([{ _tag: "Message", projectId: project, id: model.messageId }])
        yield* tick
        const file = { filename: "a", contentType: "a/b", contentId: null, disposition: "attachment" } as const
        const changes: ReadonlyArray<Change> = [
          ...(chunks.length === 0 ? [] : [{ _tag: "PutContent", projectId: project, hash: "h", chunks } as const]),
          {
            _tag: "InsertMessage",
            message: { ...message!, id: "msg_seeded", attachments: [{ ...file, size: chunkBytes + 5, hash: "h" }] }
          },
          {
            _tag: "InsertDelivery",
            delivery: { ...model, id: "del_seeded", messageId: "msg_seeded", recipient: "ada@example.org" }
          }
        ]
        yield* mailStore.commit(inCommitOrder(changes))
        yield* tickWith(yield* sendingAllThatItReads)
        expect((yield* captured).map(({ envelope }) => envelope.to)).toEqual(["model@example.org"])
        const { status, attempts } = yield* detail("del_seeded")
        expect([status, attempts.map(({ outcome }) => outcome)]).toEqual(["queued", ["no_reply"]])
        expect(yield* delivery("del_seeded")).toMatchObject({ reachedRelay: false })
      })
    )
  )

  it("treats a transport that dies of an unreadable file like a lost connection", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k", { attachments: [{ filename: "a", content: "a" }] })
        const stub = yield* StubTransport.StubTransport
        yield* tickWith({ ...stub, handOff: () => Effect.die(new Error("read error")) })
        expect(yield* detail(deliveryIds[0]!)).toMatchObject({ status: "queued" })
      })
    ))

  it("takes base64 from a principal of an API key, and reads no file for it", () =>
    withTestMail(store, { files: { read: () => Effect.die(new Error("a file was read")) } })(
      Effect.gen(function* () {
        const created = yield* (yield* ApiKeys).create(project, { name: "", permissions: ["email.send"] })
        const principal = yield* (yield* Access).authenticate(Redacted.value(created.secret))
        const sending = yield* Sending
        const sent = (attachments: unknown) => sending.send(principal, sendInput({ attachments } as never))
        const { deliveryIds } = yield* sent([{ filename: "a.txt", content: "R3LDvMOfZQ==" }])
        expect((yield* detail(deliveryIds[0]!)).message.attachments).toMatchObject([{ size: 7 }])
        expect(yield* Effect.flip(sent([{ filename: "a.txt", content: "Grüße" }]))).toMatchObject({
          issues: [{ path: ["attachments", 0, "content"], code: "invalid_value" }]
        })
        expect(yield* Effect.flip(sent([{ path: "/etc/hostname", filename: "a", content: "" }]))).toMatchObject({
          issues: [{ path: ["attachments", 0, "path"], code: "unknown_field" }]
        })
      })
    ))
})
