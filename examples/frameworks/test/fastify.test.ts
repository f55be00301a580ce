/**
 * The interface behind Fastify.
 */
import { app } from "../src/fastify.ts"
import { fetchAt, testProduct } from "./behavior.ts"
import { ownMail } from "./ownMail.ts"

testProduct("Fastify", async () => {
  const address = await app.listen({ port: 0, host: "127.0.0.1" })
  const { apiKey, close } = await ownMail()
  return {
    fetch: fetchAt(address),
    apiKey,
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await close()
    }
  }
})
