/**
 * Fastify: a plugin without body parsers, because the listener reads the body itself. `hijack` hands the response to the listener.
 */
import { nodeListener } from "@mailkeep/http/node"
import type { FastifyPluginCallback } from "fastify"
import fastify from "fastify"
import { handleMail } from "./mail.ts"

const listener = nodeListener(handleMail)

const mailRoutes: FastifyPluginCallback = (scope, _options, done) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _body, parsed) => parsed(null))
  scope.all("/mail/*", (request, reply) => {
    reply.hijack()
    listener(request.raw, reply.raw)
  })
  done()
}

export const app = fastify()
app.register(mailRoutes)
app.get("/", () => ({ shop: "open" }))
