/**
 * Compresses responses over 1 KiB when the client supports it. A response with a secret has `no-transform` and is sent uncompressed. Source:
 * decision 0032.
 */
import { Effect } from "effect"
import { HttpMiddleware, HttpPlatform, HttpRouter, HttpServerRequest } from "effect/http"
import { compressConstantsOnce } from "./constantBody.ts"

const compress = HttpMiddleware.compression({ algorithms: ["br", "gzip"], minSize: 1025 })

/** The response to `HEAD` has no body to compress. */
export const layer = HttpRouter.middleware(
  Effect.map(HttpPlatform.HttpPlatform, (platform) => {
    const withConstants = { ...platform, compression: compressConstantsOnce(platform.compression) }
    return (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
        method === "HEAD"
          ? httpEffect
          : Effect.provideService(compress(httpEffect), HttpPlatform.HttpPlatform, withConstants)
      )
  }),
  { global: true }
)
