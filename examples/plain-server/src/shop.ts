/**
 * The server of the product: its own routes, and the interface of Mailkeep below `/mail`.
 */
import { MailServer } from "@mailkeep/http"
import { nodeListener } from "@mailkeep/http/node"
import type { Mail } from "mailkeep"
import { InvalidArgument } from "mailkeep"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"

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
    to: email,
    subject: `Your order ${number}`,
    text: "Thank you.",
    metadata: { order: number },
    // The idempotency key is the order, so that a repeated request sends one receipt.
    idempotencyKey: `order:${number}`
  }
  try {
    const { messageId } = await mail.send(receipt)
    answer(outgoing, 201, { number, messageId })
  } catch (cause) {
    if (!(cause instanceof InvalidArgument)) throw cause
    answer(outgoing, 400, { error: cause.message })
  }
}

const handle = async (mail: Mail, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const path = (incoming.url ?? "/").replace(/\?.*$/, "")
  if (incoming.method === "GET" && path === "/") return answer(outgoing, 200, { shop: "open" })
  if (incoming.method === "POST" && path === "/orders") return placeOrder(mail, incoming, outgoing)
  answer(outgoing, 404, { error: "There is no such page." })
}

const isMailPath = ({ url = "/" }: IncomingMessage): boolean => /^\/mail(?=$|[/?])/.test(url)

export const makeShop = (mail: Mail): Server => {
  const { handler, dispose } = MailServer.fetchHandler(mail, { basePath: "/mail", docs: false })
  const mailInterface: RequestListener = nodeListener(handler)
  const server = createServer((incoming, outgoing) => {
    if (isMailPath(incoming)) return mailInterface(incoming, outgoing)
    handle(mail, incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy()
      else answer(outgoing, 500, { error: "Something went wrong." })
    })
  })
  return server.on("close", () => void dispose())
}
