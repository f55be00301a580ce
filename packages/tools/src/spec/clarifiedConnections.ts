/**
 * Clarifications on connections, slow clients and shutdown: rows of the section on every response.
 */
import type { Row } from "./proofs.ts"
import { at, commandShutdown, compression, hostileRequests, serverShutdown, slowClients } from "./proofs.ts"

export const connections: ReadonlyArray<Row> = [
  [
    "A request head is refused with the usual error body when it has no `Host` or two. An unknown `Expect`, transfer coding or `Content-Encoding` is refused in the same way.",
    [at.node("requestHead"), at.node("refusal"), at.api("Parameters")],
    [
      hostileRequests("refuses a head %s in the format of every refusal, and closes its connection"),
      hostileRequests("refuses a content coding other than identity")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A client that sends slowly, or does not read, uses bounded memory for a bounded time.",
    [at.server("bodyBudget"), at.server("requestBody"), at.node("responseBudget"), at.node("connections")],
    [
      slowClients("refuses a body with 503 when the bodies of its API key exceed their budget"),
      slowClients("refuses a body with 408 and closes its connection when the body does not arrive in time"),
      slowClients("closes a connection when its response makes no progress"),
      slowClients("handles no further request of a connection when the client does not read the response")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A connection is kept for 65 s without a request.",
    [at.node("limits"), at.node("nodeServer")],
    [slowClients("announces that a connection without a request is kept for 65 s")],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A shutdown answers accepted requests with `Connection: close`. It closes idle connections at once and ends within one grace period.",
    [at.node("shutdown"), "packages/cli/src/commands/serve.ts"],
    [
      serverShutdown("answers the requests of connections opened just before a shutdown, and closes each connection"),
      serverShutdown("closes a connection without a request and accepts no new connection when a shutdown begins"),
      serverShutdown("ends a shutdown after its grace when a client does not read"),
      commandShutdown("ends within one grace after SIGTERM although a webhook and a reader hang")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A response over 1 KiB is compressed when the client supports compression.",
    [at.server("compression")],
    [
      compression("compresses a response over 1 KiB for Accept-Encoding %s"),
      compression("sends a response with a secret uncompressed and forbids caches to store it")
    ],
    "0032-slow-and-hostile-clients"
  ]
]
