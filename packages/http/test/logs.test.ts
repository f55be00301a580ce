/**
 * The log lines about internal failures: enough to find the code, no data of a caller, and not one line per request.
 */
import { ApiKeys, Domains, MailStore, StoreUnavailable } from "@mailkeep/core"
import { testMailLayer, project, sendInput, stores } from "@mailkeep/test-support"
import { Cause, Data, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fetchHandler } from "../src/server/fetchHandler.ts"

const secret = "canary-7c1"

class QuotaExploded extends Data.TaggedError("QuotaExploded")<{ readonly detail: string }> {
  override get message() {
    return this.detail
  }
}

class Broken extends Error {}

type Failing = Effect.Effect<never, StoreUnavailable>

const openLogged = async () => {
  const lines: Array<ReadonlyArray<unknown>> = []
  const failing: { how: Failing | null } = { how: null }
  const [{ layer }] = stores
  const store = Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) => ({ ...inner, commit: (changes) => failing.how ?? inner.commit(changes) }))
  ).pipe(Layer.provide(layer))
  const core = ManagedRuntime.make(
    testMailLayer({ name: "failing", layer: store }).pipe(
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => lines.push([message].flat()))]))
    )
  )
  const headers = await core.runPromise(
    Effect.gen(function* () {
      yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
      const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
      return { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" }
    })
  )
  const { handler, dispose } = fetchHandler(core)
  let sends = 0
  const send = async (how: Failing): Promise<number> => {
    failing.how = how
    const request = new Request("http://localhost/api/v1/emails/send", {
      method: "POST",
      headers: { ...headers, "idempotency-key": `k${sends++}` },
      body: JSON.stringify(sendInput())
    })
    return (await handler(request)).status
  }
  return {
    lines,
    send,
    run: <A, E>(effect: Effect.Effect<A, E>) => core.runPromise(effect),
    close: async () => {
      await dispose()
      await core.dispose()
    }
  }
}

type Logged = Awaited<ReturnType<typeof openLogged>>

describe("the log", () => {
  let logged: Logged
  beforeEach(async () => {
    logged = await openLogged()
  })
  afterEach(() => logged.close())

  const frame = expect.stringMatching(/^at .*logs\.test\.ts:\d+:\d+\)?$/)
  const withSecretFrame = new Broken(`${secret}\n    at ${secret} (file:///x.ts:1:2)`)
  const withoutStack = Object.assign(new Broken(secret), { stack: undefined })

  it.each<readonly [string, Failing, string, unknown]>([
    ["an error", Effect.die(new TypeError(secret)), "TypeError", expect.arrayContaining([frame])],
    [
      "an error whose message looks like a frame",
      Effect.die(withSecretFrame),
      "Broken",
      expect.arrayContaining([frame])
    ],
    ["an error without a stack", Effect.die(withoutStack), "Broken", expect.any(Array)],
    [
      "a tagged error",
      Effect.die(new QuotaExploded({ detail: secret })),
      "QuotaExploded",
      expect.arrayContaining([frame])
    ],
    [
      "a function that throws",
      Effect.sync(() => (null as never as () => never)()),
      "TypeError",
      expect.arrayContaining([frame])
    ],
    [
      "a failure outside of the types",
      Effect.fail(new Broken(secret)) as never,
      "Broken",
      expect.arrayContaining([frame])
    ],
    ["a text", Effect.die(secret), "string", expect.any(Array)],
    ["nothing", Effect.die(undefined), "undefined", expect.any(Array)],
    ["null", Effect.die(null), "null", expect.any(Array)],
    ["a plain object", Effect.die({ secret }), "Object", expect.any(Array)],
    ["a tagged object", Effect.die({ _tag: "Odd", secret }), "Odd", expect.any(Array)],
    [
      "an object whose name is a text of the caller",
      Effect.die({ name: `${secret} says` }),
      "Object",
      expect.any(Array)
    ],
    ["an object without a prototype", Effect.die(Object.create(null)), "object", expect.any(Array)],
    ["a cause", Effect.die(Cause.die(new RangeError(secret))), "RangeError", expect.arrayContaining([frame])]
  ])("logs the class and the stack of a bug without its message when it is %s", async (_, how, error, at) => {
    expect(await logged.send(how)).toBe(500)
    expect(logged.lines).toEqual([["A request failed by a bug.", { error, at }]])
    expect(JSON.stringify(logged.lines)).not.toContain(secret)
  })

  it("logs each reason why the store is unavailable once in ten seconds, with the number of failures", async () => {
    const detail = "Free the disk of the server."
    const full = Effect.fail(new StoreUnavailable({ reason: "full", detail, cause: new Error(secret) }))
    const locked = new StoreUnavailable({ reason: "locked" })
    const warning = (reason: string, counted = {}) => [
      "Requests are refused with the status 503.",
      { reason, ...counted }
    ]
    for (let n = 0; n < 25; n++) expect(await logged.send(full)).toBe(503)
    await logged.send(Effect.fail(locked))
    expect(logged.lines).toEqual([warning("full", { detail }), warning("locked", { detail: locked.message })])
    await logged.run(TestClock.adjust("9999 millis"))
    await logged.send(full)
    expect(logged.lines).toHaveLength(2)
    await logged.run(TestClock.adjust("1 millis"))
    await logged.send(full)
    expect(logged.lines.at(-1)).toEqual(warning("full", { detail, failures: 26 }))
  })
})
