/**
 * The page of the links to unsubscribe, at `/unsubscribe/{token}`. `GET` shows a button and changes nothing; `POST` unsubscribes, for the button
 * and for mailbox providers (RFC 8058 §3.2). Neither needs an API key, and no page shows the address. Source: decision 0045.
 */
import { UnsubscribeLinks } from "@mailkeep/core"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** The path of the page, below the mount path of the interface. */
export const unsubscribeRoute = "/unsubscribe/:token"

const style =
  "body{font:18px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}button{font:inherit}"

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex"
}

const page = (status: number, title: string, content: string) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><h1>${title}</h1>${content}</html>\n`,
    { status, contentType: "text/html; charset=utf-8", headers }
  )

const question = () =>
  page(
    200,
    "Unsubscribe",
    '<p>Do you want no more of these messages?</p><form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>'
  )
const done = () => page(200, "You are unsubscribed", "<p>You get no more of these messages.</p>")
const unknown = () => page(404, "This link does not work", "<p>Open the link as it is in the message.</p>")
/** The link is genuine, but the delivery that it names was deleted after its time, or its recipient was erased. */
const expired = () =>
  page(
    410,
    "This link has expired",
    "<p>The message of this link is no longer stored. To get no more of these messages, write to the sender, or use the link in a newer message.</p>"
  )
const unavailable = () =>
  HttpServerResponse.setHeader(
    page(503, "Please try again", "<p>The request could not be stored. Please try again in a minute.</p>"),
    "retry-after",
    "60"
  )

const token = Effect.map(
  HttpRouter.schemaPathParams(Schema.Struct({ token: Schema.String })),
  (parameters) => parameters.token
)

const show = Effect.gen(function* () {
  const links = yield* UnsubscribeLinks
  return links.isValid(yield* token) ? question() : unknown()
})

const unsubscribe = Effect.gen(function* () {
  const links = yield* UnsubscribeLinks
  const given = yield* token
  if (yield* links.unsubscribe(given)) return done()
  return links.isValid(given) ? expired() : unknown()
}).pipe(Effect.catchTag("StoreUnavailable", () => Effect.succeed(unavailable())))

/** The routes of the page, below the mount path of the interface. */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", unsubscribeRoute, Effect.orDie(show)),
  HttpRouter.add("POST", unsubscribeRoute, Effect.orDie(unsubscribe))
)
