/**
 * `node:http`: one listener for the interface beside the product's own routes.
 */
import { nodeListener } from "@mailkeep/http/node"
import { createServer } from "node:http"
import { handleMail } from "./mail.ts"

const mailListener = nodeListener(handleMail)

export const server = createServer((incoming, outgoing) => {
  if (incoming.url?.startsWith("/mail/")) return mailListener(incoming, outgoing)
  outgoing.setHeader("content-type", "application/json")
  if (incoming.url === "/") outgoing.end(JSON.stringify({ shop: "open" }))
  else outgoing.writeHead(404).end(JSON.stringify({ error: "There is no such page." }))
})
