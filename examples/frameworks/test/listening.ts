/**
 * A product that a Node server serves in the process of a test.
 */
import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Product } from "./behavior.ts"
import { fetchAt } from "./behavior.ts"
import { ownMail } from "./ownMail.ts"

/** The address of a server that listens, or is about to. */
export const addressOf = async (server: Server): Promise<string> => {
  if (!server.listening) await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const listening = async (server: Server): Promise<Product> => {
  const address = await addressOf(server)
  const { apiKey, close } = await ownMail()
  return {
    fetch: fetchAt(address),
    apiKey,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await close()
    }
  }
}
