/**
 * The OpenAPI document at `/openapi.json` and its page at `/docs`. The page runs only its own scripts and loads nothing from another host.
 */
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { withConstantBody } from "./constantBody.ts"
import type { MountedApi } from "./endpointParts.ts"

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const sha256 = (text: string) =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => `'sha256-${base64(new Uint8Array(digest))}'`
  )

/** Allows the inline scripts of the page by their hashes. The styles are inline, and "Test Request" calls only this host. */
const policyOf = (html: string) =>
  Effect.map(
    Effect.forEach([...html.matchAll(/<script>([\s\S]*?)<\/script>/g)], ([, script]) => sha256(script!)),
    (hashes) =>
      [
        "default-src 'none'",
        `script-src ${hashes.join(" ")}`,
        "style-src 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'"
      ].join("; ")
  )

const htmlOf = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** The page with its policy. Effect loads the script of the page, 3 MB, when it builds the layer, so this waits for the first request. */
const pageOf = (api: MountedApi) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const scalar = HttpApiScalar.layer(api, { path: "/*", scalar: { withDefaultFonts: false } })
    yield* Layer.build(Layer.provide(scalar, Layer.succeed(HttpRouter.HttpRouter, router)))
    // The only route of this router cannot fail.
    const response = yield* Effect.orDie(router.asHttpEffect())
    return HttpServerResponse.setHeaders(withConstantBody(response), {
      "content-security-policy": yield* policyOf(htmlOf(response)),
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY"
    })
  }).pipe(Effect.scoped)

/** The routes are mounted below `basePath`, which is the server in the document. */
export const docs = (basePath: string, mounted: MountedApi) => {
  const api = basePath === "" ? mounted : mounted.annotate(OpenApi.Servers, [{ url: basePath }])
  /** Made once, also for requests that arrive together. */
  let page: Promise<HttpServerResponse.HttpServerResponse> | undefined
  let document: HttpServerResponse.HttpServerResponse | undefined
  return Layer.mergeAll(
    HttpRouter.add(
      "GET",
      "/docs",
      Effect.flatMap(Effect.context<HttpServerRequest.HttpServerRequest>(), (context) =>
        Effect.promise(() => {
          if (page !== undefined) return page
          page = Effect.runPromise(Effect.provide(pageOf(api), context))
          // After a failure, the next request tries again.
          page.catch(() => (page = undefined))
          return page
        })
      )
    ),
    HttpRouter.add(
      "GET",
      "/openapi.json",
      Effect.sync(() => (document ??= withConstantBody(HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api)))))
    )
  )
}
