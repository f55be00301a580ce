/**
 * The port that reserves identifiers. They are in order even when the clock moves backwards.
 */
import { Context, Effect, Layer } from "effect"
import type { IdBlock } from "../domain/Id.ts"
import { advanceBlock, blockFrom } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { Crypto } from "./Crypto.ts"

export class IdSource extends Context.Service<
  IdSource,
  {
    /** Reserves a block of `count` consecutive identifiers. All of them sort after every identifier of an earlier block. */
    readonly reserve: (now: Instant, count: number) => Effect.Effect<IdBlock>
  }
>()("@mailkeep/core/port/IdSource") {
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
