/**
 * Gives the laws the DNS resolver of Node over a name server on this machine.
 */
import type { ResolverSubject } from "@mailkeep/conformance"
import { Effect } from "effect"
import * as NodeDnsResolver from "../../src/node/NodeDnsResolver.ts"
import { scriptedNameServer } from "./scriptedNameServer.ts"

export const nodeResolver: ResolverSubject = {
  resolver: Effect.map(scriptedNameServer, ({ address, nameServer }) => ({
    layer: NodeDnsResolver.layer({ servers: [address], timeoutMillis: 300 }),
    nameServer
  }))
}
