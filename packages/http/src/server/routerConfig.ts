/**
 * The matching of paths, for serving and for separating 404 and 405. Paths match exactly, and an identifier may have any length, so that
 * the endpoint itself refuses a wrong one.
 */
import type { FindMyWay } from "effect/http"

export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 16_384
} as const satisfies Partial<FindMyWay.RouterConfig>
