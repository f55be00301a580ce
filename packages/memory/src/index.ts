/**
 * The reference store. It keeps its records in memory, for tests and for trying Mailkeep.
 *
 * @example
 * ```ts
 * import { MailStore } from "@mailkeep/core"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(MailStore, (store) => store.capabilities.durable)
 * console.log(Effect.runSync(Effect.provide(program, MemoryMailStore.layer))) // false
 * ```
 */
export * as MemoryMailStore from "./MemoryMailStore.ts"
