/**
 * What the author of a store supplies.
 */
import type { MailStoreShape, StoreCapabilities } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law, LawBody, Stated } from "../Law.ts"
import { makeLaw } from "../Law.ts"
import { explained, recorded } from "./recording.ts"

/** How another process opens the store: the module exports `open(argument)`, which returns the layer. */
export interface ChildModule {
  readonly module: URL
  readonly argument: string
}

/** An open transaction of a product on the database of a store. */
export interface ProductTransaction {
  /** What a product gives to `joinTransaction`. */
  readonly connection: unknown
  readonly commit: Effect.Effect<unknown>
  readonly rollback: Effect.Effect<unknown>
}

/** The location of one store. */
export interface Place {
  /**
   * Opens the store at this location. It may be opened again after it was closed, and several times at once if the store
   * declares `multiProcess`.
   */
  readonly layer: Layer.Layer<MailStore, unknown>
  readonly child?: ChildModule
  /**
   * Begins a transaction on a connection of its own, which the close of the scope ends. Required for a store that has `joinTransaction`. The laws do not
   * write to the store while a transaction is open, so that it may lock the whole database.
   */
  readonly beginTransaction?: Effect.Effect<ProductTransaction, unknown, Scope.Scope>
}

/** What the author of a store supplies to `storeLaws`. */
export interface StoreSubject {
  /** Returns a new, empty location each time. For a store that keeps nothing, its layer is enough. */
  readonly place: Layer.Layer<MailStore, unknown> | Effect.Effect<Place, unknown, Scope.Scope>
  /** The number of random scripts that the differential law runs; by default 100. */
  readonly runs?: number
  /** The seed of the random scripts; by default taken from the clock. */
  readonly seed?: number
}

/**
 * What a law can request besides the open store. A law of your own reads it.
 *
 * @example
 * ```ts
 * import { StorePlace } from "@mailkeep/conformance"
 * import { Effect, Layer } from "effect"
 *
 * // Opens a second, empty store.
 * export const another = Effect.gen(function* () {
 *   const { layer } = yield* (yield* StorePlace).another
 *   return yield* Layer.build(layer)
 * })
 * ```
 */
export class StorePlace extends Context.Service<
  StorePlace,
  {
    /** A new location that has not been opened. */
    readonly another: Effect.Effect<Place, unknown, Scope.Scope>
    /** The location of the open store. */
    readonly here: Place
    /** The number of random scripts that the differential law runs. */
    readonly runs: number
    /** The seed of the random scripts. `undefined` when the subject gives none. */
    readonly seed: number | undefined
  }
>()("@mailkeep/conformance/StorePlace") {}

export type StoreLaw = Law<MailStore | StorePlace>

const placeOf = ({ place }: StoreSubject): Effect.Effect<Place, unknown, Scope.Scope> =>
  Effect.isEffect(place) ? place : Effect.succeed({ layer: place })

/** Opens the store at a location until the scope closes. */
export const openAt = ({ layer }: Place): Effect.Effect<MailStoreShape, unknown, Scope.Scope> =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, MailStore))

const runsDefault = 100

export const openStore = (subject: StoreSubject) =>
  Effect.gen(function* () {
    const here = yield* placeOf(subject)
    const { store, steps } = recorded(yield* openAt(here))
    const { runs = runsDefault, seed } = subject
    return {
      capabilities: { ...store.capabilities, joinsTransactions: store.joinTransaction !== undefined },
      explain: Effect.suspend(() => explained(steps(), Effect.flatMap(placeOf(subject), openAt))),
      context: Context.make(MailStore, store).pipe(
        Context.add(StorePlace, { here, another: placeOf(subject), runs, seed })
      )
    }
  })

/** What a store declares, and whether it has `joinTransaction`. */
type ExaminedCapabilities = StoreCapabilities & { readonly joinsTransactions: boolean }

/** Returns a function that defines laws over the open store. All laws have the same reason, a page below `docs/`. */
export const storeLawsFor =
  (why: string) =>
  (
    id: StoreLaw["id"],
    stated: Stated<ExaminedCapabilities>,
    check: (store: MailStoreShape) => LawBody<StorePlace>
  ): StoreLaw =>
    makeLaw<MailStore | StorePlace>(id, why, stated, function* () {
      yield* check(yield* MailStore)
    })
