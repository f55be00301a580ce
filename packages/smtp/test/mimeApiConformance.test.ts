import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { RelayAct, TransportSubject } from "@mailkeep/conformance"
import { transportLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import type { PromiseTransport, SmtpReply } from "@mailkeep/core/adapter"
import { transportFromPromises, TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { mimeMessage } from "../src/index.ts"
import { mailAt } from "./smtpWithRelay.ts"

/** A transport of a product, over an API that takes raw MIME. */
const mimeApiTransport = (url: string): PromiseTransport => ({
  capabilities: {
    confirmsDelivery: false,
    signalsFinalize: false,
    idempotentHandOff: false,
    maxMessageBytes: null,
    smtpUtf8: true
  },
  handOff: async (handOff, signal) => {
    const mime = await mimeMessage(handOff, { signal })
    if (mime._tag === "Refused") return mime
    const body = new Uint8Array(await buffer(mime.open()))
    const { from, to } = handOff.envelope
    const headers = { "x-sender": encodeURIComponent(from), "x-recipient": encodeURIComponent(to) }
    const request = async (): Promise<SmtpReply> =>
      (await (await fetch(url, { method: "POST", headers, body, signal })).json()) as SmtpReply
    const reply = await request().catch(() => {
      throw new TransportUnavailable({ reason: "The provider gave no answer." })
    })
    return { _tag: reply.smtpCode === 250 ? "Accepted" : "Refused", reply }
  }
})

/** A new transport, and a provider that has no mail. */
const transport: TransportSubject["transport"] = Effect.gen(function* () {
  const acts = new Map<string, RelayAct>()
  const taken: Array<Parameters<typeof mailAt>[0]> = []
  let underWay = 0
  const server = createServer(async (request, response) => {
    underWay++
    response.on("close", () => underWay--)
    const [sender, recipient] = ["x-sender", "x-recipient"].map((name) =>
      decodeURIComponent(String(request.headers[name]))
    ) as [string, string]
    const raw = Buffer.concat(await request.toArray())
    const act = acts.get(recipient) ?? { does: "accept" }
    const answer = (reply: SmtpReply) => void response.end(JSON.stringify(reply))
    if (act.does === "refuse") {
      const { smtpCode, enhancedCode, text } = act
      return answer({ stage: act.stage === "rcpt" ? "rcpt" : "endOfData", smtpCode, enhancedCode, text })
    }
    if (act.does === "accept" || act.whileFinalizing) taken.push({ sender, recipient, raw })
    if (act.does === "hang") return
    if (act.does === "drop") return void response.destroy()
    answer({ stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Ok" })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return {
    layer: transportFromPromises(mimeApiTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)),
    relay: {
      script: (recipient, act) => Effect.sync(() => acts.set(recipient, act)),
      accepted: Effect.promise(() => Promise.all(taken.map(mailAt))),
      underWay: Effect.sync(() => underWay)
    }
  }
})

conforms("a transport over an API that takes raw MIME", transportLaws, { transport })
