/**
 * The transport that sends nothing, without the code that talks to a relay. A program that only tests or tries things starts faster with it.
 *
 * @example
 * ```ts
 * import { Transport } from "@mailkeep/core"
 * import { StubTransport } from "@mailkeep/smtp/stub"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(Transport, ({ capabilities }) => capabilities.confirmsDelivery)
 * console.log(Effect.runSync(Effect.provide(program, StubTransport.layer()))) // true
 * ```
 */
export * as StubTransport from "./StubTransport.ts"
export type { StubAct, StubOptions, StubRule, CapturedMessage } from "./StubTransport.ts"
