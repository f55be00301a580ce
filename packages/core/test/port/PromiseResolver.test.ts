/**
 * A DNS resolver of plain async functions: what it is given, the meaning of a rejection, and the effect of an interruption.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import type { PromiseResolver } from "../../src/adapter.ts"
import { DnsFailure, DnsResolver, resolverFromPromises } from "../../src/adapter.ts"

const resolverOf = (resolver: PromiseResolver) =>
  Layer.build(resolverFromPromises(resolver)).pipe(
    Effect.map((context) => Context.get(context, DnsResolver)),
    Effect.scoped,
    Effect.runSync
  )

it("passes the name on, and returns the records", async () => {
  const resolver = resolverOf({
    texts: async (name) => [name],
    exchanges: async (name) => [{ exchange: name, priority: 10 }]
  })
  expect(await Effect.runPromise(resolver.texts("a.example"))).toEqual(["a.example"])
  expect(await Effect.runPromise(resolver.exchanges("b.example"))).toEqual([{ exchange: "b.example", priority: 10 }])
})

const failure = new DnsFailure({ definite: false, code: "servfail" })
const ofNode = Object.assign(new Error("queryTxt ENOTFOUND"), { code: "ENOTFOUND" })

it.each([
  ["fails with a DnsFailure", failure, Exit.fail(failure)],
  ["dies of an error of node:dns", ofNode, Exit.die(ofNode)]
])("%s", async (_, cause, exit) => {
  const resolver = resolverOf({ texts: () => Promise.reject(cause), exchanges: () => Promise.reject(cause) })
  expect(await Effect.runPromiseExit(resolver.texts("a.example"))).toEqual(exit)
  expect(await Effect.runPromiseExit(resolver.exchanges("a.example"))).toEqual(exit)
})

it("aborts its signal when the query is interrupted", async () => {
  let aborted = 0
  const hang = (_: string, signal: AbortSignal) =>
    new Promise<never>(() => signal.addEventListener("abort", () => aborted++))
  const resolver = resolverOf({ texts: hang, exchanges: hang })
  await Effect.runPromise(Fiber.interrupt(Effect.runFork(resolver.texts("a.example"))))
  await Effect.runPromise(Fiber.interrupt(Effect.runFork(resolver.exchanges("a.example"))))
  expect(aborted).toBe(2)
})
