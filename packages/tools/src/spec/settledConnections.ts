/**
 * What the interface leaves open of connections, slow clients and the end of the server: rows of the section on every response.
 */
import type { Row } from "./proofs.ts"
import { at, commandShutdown, compression, hostileRequests, serverShutdown, slowClients } from "./proofs.ts"

export const connections: ReadonlyArray<Row> = [
  [
    "A head without `Host` or with two, with an unknown `Expect`, transfer coding or `Content-Encoding`, is refused in the form of every refusal.",
    [at.node("requestHead"), at.node("refusal"), at.api("Parameters")],
    [
      hostileRequests("refuses a head %s in the form of every refusal, and closes its connection"),
      hostileRequests("refuses a content coding other than identity")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A client that sends slowly, or does not read, takes bounded memory for a bounded time.",
    [at.server("bodyBudget"), at.server("requestBody"), at.node("answerBudget"), at.node("connections")],
    [
      slowClients("refuses a body with 503 when the bodies of its API key exceed their budget"),
      slowClients("refuses a body with 408 and closes its connection when the body does not arrive in time"),
      slowClients("closes a connection when its answer makes no progress"),
      slowClients("handles no further request of a connection whose answer is not read")
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
    "A shutdown answers what was accepted, says `Connection: close`, closes idle connections at once and ends within one grace.",
    [at.node("shutdown"), "packages/cli/src/commands/serve.ts"],
    [
      serverShutdown("answers the requests of connections that were made just before a shutdown, and closes each"),
      serverShutdown("closes a connection without a request, and takes no new one, when a shutdown begins"),
      serverShutdown("ends a shutdown after its grace when a client does not read"),
      commandShutdown("ends within one grace after SIGTERM although a webhook and a reader hang")
    ],
    "0032-slow-and-hostile-clients"
  ],
  [
    "A response over 1 KiB is compressed when the client asks for it.",
    [at.server("compression")],
    [
      compression("compresses a response over 1 KiB for Accept-Encoding %s"),
      compression("compresses no response that holds a secret, and lets no cache keep one")
    ],
    "0032-slow-and-hostile-clients"
  ]
]
