/**
 * An HTTP server that is written by hand: Fastify, a schema that Ajv checks, and one durable transaction of better-sqlite3 for each request.
 */
import { Ajv } from "ajv"
import Fastify from "fastify"
import type { HandSend } from "./byHand.ts"
import { openByHand } from "./byHand.ts"

const schema = {
  type: "object",
  required: ["from", "to", "subject", "html"],
  additionalProperties: false,
  properties: {
    from: { type: "string", maxLength: 320 },
    to: { type: "string", maxLength: 320 },
    subject: { type: "string", minLength: 1, maxLength: 500 },
    html: { type: "string", maxLength: 2_097_152 }
  }
}

/** Listens on a free port, and returns the address. */
export const startFastify = async (filename: string): Promise<string> => {
  const store = openByHand(filename)
  const isSend = new Ajv().compile<HandSend>(schema)
  const server = Fastify()
  server.post("/api/v1/emails/send", async (request, reply) => {
    const idempotencyKey = request.headers["idempotency-key"]
    if (typeof idempotencyKey !== "string" || !isSend(request.body)) return reply.code(400).send({ error: "invalid" })
    return reply.code(202).type("application/json").send(store.accept(request.body, idempotencyKey))
  })
  return server.listen({ host: "127.0.0.1", port: 0 })
}
