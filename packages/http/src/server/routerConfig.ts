/**
 * How paths are matched, the same where they are served and where a wrong method is told from an unknown path: to the letter, and
 * with an identifier of any length, so that a request is refused for what it is.
 */
import type { FindMyWay } from "effect/http"

export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 16_384
} as const satisfies Partial<FindMyWay.RouterConfig>
