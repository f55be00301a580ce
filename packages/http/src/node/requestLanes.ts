/**
 * Decides with which other requests a request waits for its turn: with those of its API key. Requests with an API key that was not valid before share one
 * lane, because anyone can write another wrong API key into each request. Source: decision 0032.
 */
import { hash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { authenticatedProject } from "../server/authenticatedRequests.ts"

/** The API keys that are remembered. An API key beyond them has its first request in the shared lane again. */
const knownMax = 10_000

/** The lane of the requests without an API key. */
const noApiKey = ""
/** The lane of all requests with an API key that is not known. No hash has a space. */
const unknownApiKey = "unknown API key"

export interface RequestLanes {
  /** The lane of a request that has just arrived. */
  readonly laneOf: (request: IncomingMessage) => string
  /** The project of the API key of a request; `undefined` if the API key is not known. */
  readonly projectOf: (request: IncomingMessage) => string | undefined
  /** Call it when the request is answered. */
  readonly answered: (request: IncomingMessage) => void
}

export const makeRequestLanes = (): RequestLanes => {
  /** The projects by the hash of the header field, so that no API key stays in memory. The one that was used last is the last. */
  const known = new Map<string, string>()
  /** The hash of each request, which is asked for at its start, for a read and at its end. */
  const hashes = new WeakMap<IncomingMessage, string>()
  const hashOf = (request: IncomingMessage): string | undefined => {
    const { authorization } = request.headers
    if (authorization === undefined) return undefined
    const hashed = hashes.get(request) ?? hash("sha256", authorization, "base64url")
    hashes.set(request, hashed)
    return hashed
  }

  return {
    laneOf: (request) => {
      const lane = hashOf(request)
      if (lane === undefined) return noApiKey
      return known.has(lane) ? lane : unknownApiKey
    },
    projectOf: (request) => {
      const lane = hashOf(request)
      return lane === undefined ? undefined : known.get(lane)
    },
    answered: (request) => {
      const lane = hashOf(request)
      if (lane === undefined) return
      // The API key may have been revoked since.
      known.delete(lane)
      const projectId = authenticatedProject(request)
      if (projectId !== undefined) known.set(lane, projectId)
      if (known.size > knownMax) known.delete(known.keys().next().value!)
    }
  }
}
