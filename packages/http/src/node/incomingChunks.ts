/**
 * Reads a request body from the Node request.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import type { NextChunks, WithBodyChunks } from "../server/bodyChunks.ts"
import { BodyUnreadable } from "../server/bodyChunks.ts"
import { isBodyWithheld } from "./continueOnRead.ts"

/** What the request has now: a chunk, its end or its failure. `undefined`: wait for more. */
const available = (incoming: IncomingMessage): NextChunks | undefined => {
  const chunk = incoming.read() as Uint8Array | null
  if (chunk !== null) return Effect.succeed([chunk])
  if (incoming.readableEnded) return Effect.succeed([])
  return incoming.destroyed ? Effect.fail(new BodyUnreadable()) : undefined
}

const arrivals = ["readable", "end", "error", "close"] as const

const nextOf = (incoming: IncomingMessage): NextChunks =>
  Effect.suspend(
    () =>
      available(incoming) ??
      Effect.callback((resume) => {
        const stop = () => arrivals.forEach((event) => incoming.off(event, check))
        const check = () => {
          const next = available(incoming)
          if (next === undefined) return
          stop()
          resume(next)
        }
        arrivals.forEach((event) => incoming.on(event, check))
        return Effect.sync(stop)
      })
  )

/** Reads the body only when it is asked for, so that a client that waits for `100 Continue` sends no body of a refused request. */
export const nodeBodyChunks: WithBodyChunks = (request, use) => {
  const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
  return use({ next: nextOf(incoming), isWithheld: isBodyWithheld(incoming) })
}
