/**
 * Opens an adapter for a law, together with the peer that the adapter sends to.
 */
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Opened } from "./Law.ts"

/** Builds the adapter afresh. The law gets the adapter and its peer. */
export const openWithPeer = <I, S extends { readonly capabilities: object }, P, T, E>(
  adapter: Context.Key<I, S>,
  layer: Layer.Layer<I, E>,
  peer: Context.Key<P, T>,
  peerOfLaw: T
): Effect.Effect<Opened<I | P>, E, Scope.Scope> =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => {
    const opened = Context.get(context, adapter)
    return {
      capabilities: { ...opened.capabilities },
      context: Context.make(adapter, opened).pipe(Context.add(peer, peerOfLaw))
    }
  })
