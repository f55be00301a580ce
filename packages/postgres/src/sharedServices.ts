/**
 * The store together with what its processes share: the clock of the server and the rate limits, over one pool. Source: decisions 0079 and 0080.
 */
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import { MailStore, RateLimiter } from "@mailkeep/core/adapter"
import { Clock, Context, Effect, Layer } from "effect"
import { makeDatabase } from "./internal/database.ts"
import { makeDatabaseClock } from "./internal/databaseClock.ts"
import { notOpened } from "./internal/openingFailure.ts"
import { openPool, whereOf } from "./internal/openPool.ts"
import { quotedSchema } from "./internal/openTables.ts"
import { makeRateBuckets } from "./internal/rateBuckets.ts"
import { makeSharedRateLimiter } from "./internal/sharedRateLimiter.ts"
import type { PostgresOptions } from "./PostgresMailStore.ts"
import { defaultSchema, make, PostgresMailStore } from "./PostgresMailStore.ts"

/**
 * Provides the store, a `Clock` that follows the clock of the server, and a `RateLimiter` whose limits hold for all processes together. With many
 * machines, use this instead of the layer of the store alone. Fails as the store does, and when the clock of the server cannot be read.
 *
 * The `Clock` must also reach the program around the core, so give this layer to `MailCore.layer` with `Layer.provideMerge`, not `Layer.provide`.
 *
 * The limits are approximate: each process can allow up to one twentieth of a limit more. A limit of fewer than 20 requests is exact. While the database does not
 * answer, each process counts by itself.
 */
export const layer = (
  options: PostgresOptions
): Layer.Layer<MailStore | PostgresMailStore | RateLimiter, StoreNotOpened> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const pool = yield* openPool(options)
      const store = yield* make({ ...options, pool })
      const database = makeDatabase(pool)
      const schema = quotedSchema(options.schema ?? defaultSchema)
      const { clock } = yield* Effect.mapError(makeDatabaseClock(database), (cause) =>
        notOpened(cause, whereOf(pool, schema))
      )
      const limiter = yield* Effect.provideService(
        makeSharedRateLimiter(makeRateBuckets(database, schema)),
        Clock.Clock,
        clock
      )
      return Context.make(MailStore, store).pipe(
        Context.add(PostgresMailStore, store),
        Context.add(RateLimiter, limiter),
        Context.add(Clock.Clock, clock)
      )
    })
  )
