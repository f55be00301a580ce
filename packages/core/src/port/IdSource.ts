/**
 * The port that reserves identifiers. They are in order even when the clock moves backwards.
 */
import { Context, Effect, Layer } from "effect"
import type { IdBlock } from "../domain/value/Id.ts"
import { advanceBlock, blockFrom } from "../domain/value/Id.ts"
import type { Instant } from "../domain/value/Instant.ts"
import { Crypto } from "./Crypto.ts"

/**
 * Reserves identifiers. They are in order even when the clock moves backwards.
 *
 * @example
 * ```ts
 * import { IdSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { Clock, Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const ids = yield* IdSource
 *   const block = yield* ids.reserve(yield* Clock.currentTimeMillis, 50)
 *   return block.time > 0
 * })
 * console.log(Effect.runSync(Effect.provide(program, Layer.provide(IdSource.layer, NodeCrypto.layer)))) // true
 * ```
 */
export class IdSource extends Context.Service<
  IdSource,
  {
    /** Reserves a block of `count` consecutive identifiers. All of them sort after every identifier of an earlier block. */
    readonly reserve: (now: Instant, count: number) => Effect.Effect<IdBlock>
  }
>()("@mailkeep/core/port/IdSource") {
  /** Makes ULIDs in this process. Identifiers of several processes sort by their time. */
  static readonly layer: Layer.Layer<IdSource, never, Crypto> = Layer.effect(
    IdSource,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      let next: IdBlock | undefined
      return {
        reserve: (now, count) =>
          Effect.sync(() => {
            const block = next === undefined || now > next.time ? blockFrom(now, crypto.randomBytes(10)) : next
            next = advanceBlock(block, count)
            return block
          })
      }
    })
  )
}
