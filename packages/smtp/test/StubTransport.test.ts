import type { HandOff } from "@mailkeep/core/adapter"
import { HandOffRevoked } from "@mailkeep/core/adapter"
import { Cause, Effect, Exit } from "effect"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { StubAct, StubOptions } from "../src/index.ts"
import { StubTransport } from "../src/index.ts"

const handOff = (to: string, beforeFinalize: HandOff["beforeFinalize"] = Effect.void): HandOff => ({
  projectId: "prj_test",
  deliveryId: "del_1",
  attempt: 1,
  envelope: { from: "shop@acme.example", to },
  dkim: null,
  message: {
    messageIdHeader: `<${to}>`,
    date: 0,
    from: { name: null, address: "shop@acme.example" },
    replyTo: null,
    to: [to],
    cc: [],
    subject: "Hi",
    html: null,
    text: "Hi",
    headers: {},
    attachments: []
  },
  beforeFinalize
})

const playing = (act: StubAct, options: StubOptions = {}) => {
  let finalizedTimes = 0
  const stub = StubTransport.make({ script: [{ acts: [act] }], ...options })
  const outcome = stub.handOff(
    handOff(
      "a@example.org",
      Effect.sync(() => void finalizedTimes++)
    )
  )
  return { stub, outcome, finalizedTimes: () => finalizedTimes }
}

describe("the stub transport", () => {
  it.each<[StubAct, string, number, number]>([
    [{ act: "accept" }, "Accepted", 1, 1],
    [{ act: "deliver" }, "Delivered", 1, 1],
    [{ act: "defer" }, "Refused", 0, 0],
    [{ act: "refuse" }, "Refused", 0, 0],
    [{ act: "refuse", stage: "endOfData" }, "Refused", 1, 0],
    [{ act: "loseReply" }, "TransportUnavailable", 1, 1],
    [{ act: "disconnect" }, "TransportUnavailable", 0, 0]
  ])(
    "plays %j with the outcome %s, finalizes %s times and captures %s messages",
    async (act, tag, finalizedTimes, captured) => {
      const played = playing(act)
      const ended = await Effect.runPromise(Effect.catch(played.outcome, (failure) => Effect.succeed(failure)))
      expect([ended._tag, played.finalizedTimes(), played.stub.captured().length]).toEqual([
        tag,
        finalizedTimes,
        captured
      ])
    }
  )

  it.each([
    [{ act: "hang" }, 0],
    [{ act: "hang", whileFinalizing: true }, 1]
  ] as ReadonlyArray<readonly [StubAct, number]>)("hangs for %j, and can be interrupted", async (act, captured) => {
    const played = playing(act)
    const ended = await Effect.runPromise(Effect.timeoutOption(played.outcome, "10 millis"))
    expect([ended._tag, played.stub.captured().length]).toEqual(["None", captured])
  })

  it.each([
    [{ act: "crash", when: "before" }, 0],
    [{ act: "crash", when: "after" }, 1]
  ] as ReadonlyArray<readonly [StubAct, number]>)("ends the process for %j", async (act, captured) => {
    let crashes = 0
    const played = playing(act, { crash: () => void crashes++ })
    await Effect.runPromise(Effect.timeoutOption(played.outcome, "10 millis"))
    expect([crashes, played.stub.captured().length]).toEqual([1, captured])
  })

  it("does not finalize a revoked hand-off, and passes the failure on", async () => {
    const stub = StubTransport.make()
    const revoked = Effect.fail(new HandOffRevoked({ why: "suppressed" }))
    const exit = await Effect.runPromiseExit(stub.handOff(handOff("a@example.org", revoked)))
    expect(Exit.isFailure(exit)).toBe(true)
    expect(stub.captured()).toEqual([])
  })

  it("waits for an async onCaptured, and ends with its rejection as a defect", async () => {
    let isDone = false
    const onCaptured = async () => {
      await setImmediate()
      isDone = true
    }
    await Effect.runPromise(playing({ act: "deliver" }, { onCaptured }).outcome)
    expect(isDone).toBe(true)
    const failure = new Error("the inbox of the test is away")
    const rejecting = playing({ act: "deliver" }, { onCaptured: () => Promise.reject(failure) as never })
    expect(Cause.squash(await Effect.runPromise(Effect.flip(Effect.sandbox(rejecting.outcome))))).toBe(failure)
  })

  it("follows the first rule that matches, and plays its acts in turn for each recipient", async () => {
    const stub = StubTransport.make({
      script: [{ recipient: /@slow\.example$/, acts: [{ act: "defer" }, { act: "accept" }] }]
    })
    stub.addRules({ recipient: "vip@slow.example", acts: [{ act: "deliver" }] })
    const outcomes = []
    for (const to of [
      "a@slow.example",
      "b@slow.example",
      "a@slow.example",
      "a@slow.example",
      "vip@slow.example",
      "c@fast.example"
    ])
      outcomes.push((await Effect.runPromise(stub.handOff(handOff(to))))._tag)
    expect(outcomes).toEqual(["Refused", "Refused", "Accepted", "Accepted", "Delivered", "Delivered"])
  })

  it("matches the recipient of a rule in any case", async () => {
    const stub = StubTransport.make({ script: [{ recipient: "Ada@Gone.example", acts: [{ act: "refuse" }] }] })
    for (const to of ["ada@gone.example", "ADA@gone.example"])
      expect((await Effect.runPromise(stub.handOff(handOff(to))))._tag).toBe("Refused")
  })

  it("refuses a rule of another form when it is added", () => {
    const stub = StubTransport.make()
    expect(() => stub.addRules({ acts: [] as never })).toThrow(TypeError)
    expect(() => stub.addRules({ acts: [{ act: "refuse", code: 552 } as never] })).toThrow(TypeError)
  })

  it("matches a recipient at each hand-off when the pattern of a rule is global or sticky", async () => {
    for (const recipient of [/@gone\.example$/g, /[a-z]+@gone\.example$/y]) {
      const stub = StubTransport.make({ script: [{ recipient, acts: [{ act: "refuse" }] }] })
      const outcomes = []
      for (let n = 0; n < 3; n++) outcomes.push((await Effect.runPromise(stub.handOff(handOff("a@gone.example"))))._tag)
      expect(outcomes).toEqual(["Refused", "Refused", "Refused"])
    }
  })

  it("keeps at most the configured number of messages, and keeps a duplicate for one recipient only once", async () => {
    const few = StubTransport.make({ keep: 2 })
    for (const to of ["a@x.example", "b@x.example", "c@x.example"]) await Effect.runPromise(few.handOff(handOff(to)))
    expect(few.captured().map(({ envelope }) => envelope.to)).toEqual(["b@x.example", "c@x.example"])
    const dropping = StubTransport.make({ capabilities: { idempotentHandOff: true } })
    for (let i = 0; i < 2; i++) await Effect.runPromise(dropping.handOff(handOff("a@x.example")))
    expect(dropping.captured()).toHaveLength(1)
    const { message } = handOff("a@x.example")
    await Effect.runPromise(dropping.handOff({ ...handOff("copy@x.example"), message }))
    expect(dropping.captured().map(({ envelope }) => envelope.to)).toEqual(["a@x.example", "copy@x.example"])
  })
})
