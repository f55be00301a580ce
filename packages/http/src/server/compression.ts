/**
 * Compresses responses over 1 KiB when the client supports it. A response with a secret has `no-transform` and is sent uncompressed. Source:
 * decision 0032.
 */
import { Effect } from "effect"
import { HttpMiddleware, HttpRouter, HttpServerRequest } from "effect/http"

const compress = HttpMiddleware.compression({ algorithms: ["br", "gzip"], minSize: 1025 })

/** The response to `HEAD` has no body to compress. */
export const layer = HttpRouter.middleware(
  (httpEffect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
      method === "HEAD" ? httpEffect : compress(httpEffect)
    ),
  { global: true }
)
