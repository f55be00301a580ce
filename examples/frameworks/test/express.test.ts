/**
 * The interface behind Express.
 */
import { match, strictEqual } from "node:assert/strict"
import { it } from "node:test"
import { nodeListener } from "@mailkeep/http/node"
import express from "express"
import { app } from "../src/express.ts"
import { handleMail } from "../src/mail.ts"
import { testProduct } from "./behavior.ts"
import { addressOf, listening } from "./listening.ts"

testProduct("Express", async () => listening(app.listen(0, "127.0.0.1")))

it("refuses a send behind the body parser of Express, and names the mistake", async () => {
  const wrong = express().use(express.json()).use("/mail", nodeListener(handleMail))
  const server = wrong.listen(0, "127.0.0.1")
  const response = await fetch(`${await addressOf(server)}/mail/api/v1/emails/send`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}"
  })
  strictEqual(response.status, 500)
  match(await response.text(), /Mount Mailkeep before the body parser/)
  server.close()
  server.closeAllConnections()
})
