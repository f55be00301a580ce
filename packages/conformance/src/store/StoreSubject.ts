/**
 * How an author gives a store to the kit.
 */
import type { MailStoreShape } from "@mailkeep/core/port"
import { MailStore } from "@mailkeep/core/port"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law } from "../Law.ts"

/** How another process opens the store at a place: the module exports `open(argument)`, which gives the layer. */
export interface ChildModule {
  readonly module: URL
  readonly argument: string
}

/** Where one store is kept. */
export interface Place {
  /** Opens the store here; may be built again after it was closed, and several times at once where several may share it. */
  readonly layer: Layer.Layer<MailStore, unknown>
  readonly child?: ChildModule
}

export interface StoreSubject {
  /** A new and empty place each time. A store that keeps nothing gives its layer alone. */
  readonly place: Layer.Layer<MailStore, unknown> | Effect.Effect<Place, unknown, Scope.Scope>
  /** How many random scripts the differential law runs; 100 unless given. */
  readonly runs?: number
  /** The seed of the first of them; by the clock unless given. */
  readonly seed?: number
}

/** What a law may ask of the subject beside the store that is open. */
export class StorePlace extends Context.Service<
  StorePlace,
  {
    /** A place that nobody has opened yet. */
    readonly another: Effect.Effect<Place, unknown, Scope.Scope>
    /** The place of the store that is open. */
    readonly here: Place
    readonly runs: number
    readonly seed: number | undefined
  }
>()("@mailkeep/conformance/StorePlace") {}

export type StoreLaw = Law<MailStore | StorePlace>

const placeOf = ({ place }: StoreSubject): Effect.Effect<Place, unknown, Scope.Scope> =>
  Effect.isEffect(place) ? place : Effect.succeed({ layer: place })

/** Opens the store at a place, for as long as the scope lasts. */
export const openAt = ({ layer }: Place): Effect.Effect<MailStoreShape, unknown, Scope.Scope> =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, MailStore))

const runsDefault = 100

export const openStore = (subject: StoreSubject) =>
  Effect.gen(function* () {
    const here = yield* placeOf(subject)
    const store = yield* openAt(here)
    const { runs = runsDefault, seed } = subject
    return {
      capabilities: { ...store.capabilities },
      context: Context.make(MailStore, store).pipe(
        Context.add(StorePlace, { here, another: placeOf(subject), runs, seed })
      )
    }
  })

interface Stated {
  readonly says: string
  readonly why: string
  readonly needs?: Readonly<Partial<MailStoreShape["capabilities"]>>
}

/** A law over the open store. */
export const storeLaw = (
  id: StoreLaw["id"],
  stated: Stated,
  check: (store: MailStoreShape) => Effect.Effect<void, unknown, StorePlace | Scope.Scope>
): StoreLaw => ({ id, ...stated, check: Effect.flatMap(MailStore, check) })
