/**
 * The memory of the stub: the last hand-off of each delivery, its bounds, and the outcomes that are chosen for the next hand-offs.
 */
import { buffer } from "node:stream/consumers"
import type { HandOff } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { StubTransport } from "../src/index.ts"
import { makeMailCapture } from "../src/mailCapture.ts"
import { composeMessage } from "../src/composeMessage.ts"

const handOff = (n: number, change: Partial<HandOff["message"]> = {}, attempt = 1): HandOff => ({
  projectId: "prj_test",
  deliveryId: `del_${n}`,
  attempt,
  envelope: { from: "hi@acme.example", to: "ada@example.org" },
  message: {
    messageIdHeader: `<${n}@acme.example>`,
    date: 0,
    from: { name: "Acme", address: "hi@acme.example" },
    replyTo: null,
    to: ["ada@example.org"],
    cc: [],
    subject: "Hello",
    html: "<p>Hi</p>",
    text: "Hi",
    headers: {},
    attachments: [],
    ...change
  },
  dkim: null,
  beforeFinalize: Effect.void
})

const idsOf = (capture: ReturnType<typeof makeMailCapture>) => capture.mails().map(({ deliveryId }) => deliveryId)

describe("makeMailCapture", () => {
  it("keeps the last hand-off of each delivery, newest first", () => {
    const capture = makeMailCapture({ keep: 10, keepBytes: 1e9 })
    capture.record(handOff(1), 100)
    capture.record(handOff(2), 200)
    capture.record(handOff(1, {}, 2), 300)
    expect(capture.mails().map(({ deliveryId, attempt, at }) => [deliveryId, attempt, at])).toEqual([
      ["del_1", 2, 300],
      ["del_2", 1, 200]
    ])
    expect(capture.find("del_1")?.attempt).toBe(2)
  })

  it("removes the oldest mails above the number", () => {
    const capture = makeMailCapture({ keep: 2, keepBytes: 1e9 })
    for (const n of [1, 2, 3]) capture.record(handOff(n), n)
    expect(idsOf(capture)).toEqual(["del_3", "del_2"])
  })

  it("removes the oldest mails above the size, but keeps the newest in any case", () => {
    const capture = makeMailCapture({ keep: 100, keepBytes: 10_000 })
    for (const n of [1, 2, 3]) capture.record(handOff(n, { html: "x".repeat(1200) }), n)
    expect(idsOf(capture)).toEqual(["del_3", "del_2"])
    capture.record(handOff(4, { html: "x".repeat(100_000) }), 4)
    expect(idsOf(capture)).toEqual(["del_4"])
    capture.record(handOff(5), 5)
    expect(idsOf(capture)).toEqual(["del_5"])
  })

  it("keeps nothing when the number is 0", () => {
    const capture = makeMailCapture({ keep: 0, keepBytes: 1e9 })
    capture.record(handOff(1), 1)
    expect(idsOf(capture)).toEqual([])
  })

  it("composes the bytes that SMTP sends", async () => {
    const capture = makeMailCapture({ keep: 1, keepBytes: 1e9 })
    const one = handOff(1, { text: null, html: "<p>Grüße</p>" })
    capture.record(one, 1)
    const source = (await Effect.runPromise(capture.source("del_1")))!
    const bytes = await buffer(source.read())
    expect(bytes).toEqual(await buffer(composeMessage(one.message, { textAlternative: true })()))
    expect(source.size).toBe(bytes.length)
    expect(await Effect.runPromise(capture.source("del_2"))).toBeNull()
  })

  it("keeps at most 100 chosen outcomes, the newest", () => {
    const capture = makeMailCapture({ keep: 1, keepBytes: 1e9 })
    for (let n = 0; n < 150; n++) capture.setNextOutcome(`a${n}@example.org`, "deferred")
    expect(capture.nextOutcomes()).toHaveLength(100)
    expect(capture.nextOutcomes()[0]?.recipient).toBe("a50@example.org")
    capture.setNextOutcome("a50@example.org", null)
    expect(capture.takeNextOutcome("a50@example.org")).toBeUndefined()
  })

  it("changes the version with each hand-off, choice and clear", () => {
    const capture = makeMailCapture({ keep: 1, keepBytes: 1e9 })
    const versions = [capture.version()]
    const act = (change: () => unknown) => {
      change()
      versions.push(capture.version())
    }
    act(() => capture.record(handOff(1), 1))
    act(() => capture.setNextOutcome("ada@example.org", "ambiguous"))
    act(() => capture.takeNextOutcome("ada@example.org"))
    act(() => capture.clear())
    expect(new Set(versions).size).toBe(5)
    expect(idsOf(capture)).toEqual([])
  })
})

describe("StubTransport", () => {
  it("gives the chosen outcome once, before its script, and captures refused mail too", async () => {
    const stub = StubTransport.make({ script: [{ acts: [{ act: "accept" }] }] })
    stub.capture.setNextOutcome("ADA@example.org", "refused")
    const outcomes = [
      await Effect.runPromise(stub.handOff(handOff(1))),
      await Effect.runPromise(stub.handOff(handOff(2)))
    ]
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Refused", "Accepted"])
    expect(stub.capture.mails().map(({ deliveryId }) => deliveryId)).toEqual(["del_2", "del_1"])
    expect(stub.captured().map(({ deliveryId }) => deliveryId)).toEqual(["del_2"])
  })

  it("bounds the accepted messages by their size", async () => {
    const stub = StubTransport.make({ keepBytes: 10_000 })
    for (const n of [1, 2, 3]) await Effect.runPromise(stub.handOff(handOff(n, { html: "x".repeat(1500) })))
    expect(stub.captured().map(({ deliveryId }) => deliveryId)).toEqual(["del_2", "del_3"])
  })
})
