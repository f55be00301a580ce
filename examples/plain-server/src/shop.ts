/**
 * The server of the product: its own routes, and the interface of Mailkeep below `/mail`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import type { Mail } from "./mail.ts"
import { toRequest, writeResponse } from "./webStandard.ts"

const answer = (outgoing: ServerResponse, status: number, body: unknown): void => {
  outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

interface Order {
  readonly number: number
  readonly email: string
}

const placeOrder = async (mail: Mail, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const { number, email } = (await json(incoming)) as Order
  const receipt = {
    from: "Shop <orders@shop.example>",
    to: email,
    subject: `Your order ${number}`,
    text: "Thank you.",
    metadata: { order: number }
  }
  try {
    // The idempotency key is the order, so that a repeated request sends one receipt.
    const { messageId } = await mail.send(receipt, `order:${number}`)
    answer(outgoing, 201, { number, messageId })
  } catch (cause) {
    if ((cause as { readonly _tag?: string })._tag !== "InvalidArgument") throw cause
    answer(outgoing, 400, { error: (cause as Error).message })
  }
}

const handle = async (mail: Mail, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const path = (incoming.url ?? "/").replace(/\?.*$/, "")
  if (path === "/mail" || path.startsWith("/mail/"))
    return writeResponse(await mail.handler(toRequest(incoming)), outgoing)
  if (incoming.method === "GET" && path === "/") return answer(outgoing, 200, { shop: "open" })
  if (incoming.method === "POST" && path === "/orders") return placeOrder(mail, incoming, outgoing)
  answer(outgoing, 404, { error: "There is no such page." })
}

export const makeShop = (mail: Mail): Server =>
  createServer((incoming, outgoing) => {
    handle(mail, incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else answer(outgoing, 500, { error: "Something went wrong." })
    })
  })
