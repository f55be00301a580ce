/**
 * Moves all records of one store into another, such as from one SQLite file into another, or into the store of another adapter.
 *
 * @example
 * ```ts
 * import { moveStore } from "@mailkeep/core/move"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const [from, to] = [yield* MemoryMailStore.make, yield* MemoryMailStore.make]
 *   yield* from.commit([{ _tag: "PutSetting", name: "color", value: "blue" }])
 *   return yield* moveStore(from, to)
 * })
 * const { records } = await Effect.runPromise(Effect.provide(program, NodeCrypto.layer))
 * console.log(records) // 1
 * ```
 */
export { MoveRefused } from "./domain/store/MoveRefused.ts"
export type { KindDigest, StoreDigest } from "./domain/store/StoreDigest.ts"
export { digestStore, moveStore } from "./service/store/moveStore.ts"
export type { MoveOptions, MoveProgress, MoveReport } from "./service/store/moveStore.ts"
