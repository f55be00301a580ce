/**
 * The places for the connections of a listener. A client that keeps a connection open and sends nothing useful must not keep others out, so a new connection
 * may get the place of such a one.
 */
import { Latch } from "effect"
import { countedAddress } from "./clientAddress.ts"
import type { ListenerLimits } from "./limits.ts"

/** The place of one connection. */
export interface ConnectionPlace {
  /**
   * When the connection was made, or when it last gave a valid API key or a message. In UTC milliseconds. `null` while the connection does not wait for a
   * command.
   */
  idleSince: number | null
  /** Open when another connection has got the place. */
  readonly taken: Latch.Latch
}

/** A connection keeps its place for this time. Every mail server sends a message sooner. */
const keptMillis = 10_000

export interface ConnectionPlaces {
  /** Takes a place. Returns `null` if none is left for the address, or none at all. */
  readonly take: (remoteAddress: string, nowMillis: number) => ConnectionPlace | null
  /** Call it when the connection is closed. */
  readonly release: (remoteAddress: string, place: ConnectionPlace) => void
  /** Connections that have a place. */
  readonly count: () => number
}

export const makeConnectionPlaces = ({
  connectionsMax,
  connectionsPerAddressMax
}: Pick<ListenerLimits, "connectionsMax" | "connectionsPerAddressMax">): ConnectionPlaces => {
  const places = new Set<ConnectionPlace>()
  const addresses = new Map<string, number>()

  /** The connection that has been idle for the longest time, if that is long enough. */
  const replaceable = (nowMillis: number): ConnectionPlace | undefined => {
    let found: ConnectionPlace | undefined
    let since = nowMillis - keptMillis
    for (const place of places)
      if (place.idleSince !== null && place.idleSince <= since) {
        found = place
        since = place.idleSince
      }
    return found
  }

  return {
    take: (remoteAddress, nowMillis) => {
      const address = countedAddress(remoteAddress)
      const ofAddress = (addresses.get(address) ?? 0) + 1
      if (ofAddress > connectionsPerAddressMax) return null
      if (places.size >= connectionsMax) {
        const replaced = replaceable(nowMillis)
        if (replaced === undefined) return null
        places.delete(replaced)
        replaced.taken.openUnsafe()
      }
      addresses.set(address, ofAddress)
      const place = { idleSince: null, taken: Latch.makeUnsafe() }
      places.add(place)
      return place
    },
    release: (remoteAddress, place) => {
      const address = countedAddress(remoteAddress)
      const left = addresses.get(address)! - 1
      if (left === 0) addresses.delete(address)
      else addresses.set(address, left)
      places.delete(place)
    },
    count: () => places.size
  }
}
