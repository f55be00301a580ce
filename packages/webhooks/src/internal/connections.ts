/**
 * Open connections to webhook endpoints. A connection without a request stays open for a few seconds, so that the next event needs no new one.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { AgentOptions } from "node:https"
import type { SecureContext } from "node:tls"
import { Effect } from "effect"
import type { Address } from "./allowedAddress.ts"

/** How long a connection without a request stays open. Servers close such connections after 5 s or later. */
const idleMillisMax = 4000
/** Connections without a request to one endpoint. As many as the core sends requests at once. */
const idleConnectionsMax = 16

/** The options of a request, with the address that was checked for it. */
export interface PinnedRequest extends RequestOptions {
  readonly pinned: Address
}

/** Node's client of one protocol, with its connections. */
export interface Client {
  readonly request: (options: PinnedRequest, onResponse: (response: IncomingMessage) => void) => ClientRequest
}

/** An agent that uses an open connection again only for the address that it goes to. Each request was checked for its own address. */
const pinnedAgent = (Base: typeof Agent, options: AgentOptions): Agent => {
  const agent = new Base(options)
  const nameOf = agent.getName.bind(agent)
  agent.getName = (request = {}) => `${nameOf(request)}:${(request as PinnedRequest).pinned.address}`
  return agent
}

/** Trusts the certificates besides the authorities that Node trusts. Node's option `ca` alone would replace those. */
const trusting = async (certificates: string): Promise<SecureContext> => {
  const { createSecureContext, getCACertificates } = await import("node:tls")
  return createSecureContext({ ca: [...getCACertificates("default"), certificates] })
}

const load = async (protocol: "http:" | "https:", certificates: string | undefined): Promise<Client> => {
  const { Agent, request } = protocol === "https:" ? await import("node:https") : await import("node:http")
  const agent = pinnedAgent(Agent, {
    keepAlive: true,
    timeout: idleMillisMax,
    maxFreeSockets: idleConnectionsMax,
    ...(protocol === "http:" || certificates === undefined ? {} : { secureContext: await trusting(certificates) })
  })
  return { request: (options, onResponse) => request({ ...options, agent }, onResponse) }
}

/** Loads Node's client with the first request, because a product without webhooks need not wait for it at its start. */
export const makeConnections = (certificates: string | undefined) => {
  const clients = new Map<string, Promise<Client>>()
  return ({ protocol }: URL): Effect.Effect<Client> =>
    Effect.promise(() => {
      const client = clients.get(protocol) ?? load(protocol === "https:" ? "https:" : "http:", certificates)
      clients.set(protocol, client)
      return client
    })
}
