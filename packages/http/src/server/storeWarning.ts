/**
 * The log of requests that are refused because the store, or a rate limiter, is unavailable.
 */
import type { StoreFailureLog } from "@mailkeep/core/binding"
import { makeStoreFailureLog } from "@mailkeep/core/binding"
import { Context } from "effect"

/** Makes the log of one handler. */
export const makeStoreWarning = (): StoreFailureLog => makeStoreFailureLog("Requests are refused with the status 503.")

/** Logs that a request is refused because the store, or a rate limiter, is unavailable. Each handler has a log of its own. */
export const StoreWarning = Context.Reference<StoreFailureLog>("@mailkeep/http/server/StoreWarning", {
  defaultValue: makeStoreWarning
})
