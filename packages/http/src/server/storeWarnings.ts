/**
 * The limit of the warnings about requests that are refused because the store is unavailable.
 */
import type { LogLimit } from "@mailkeep/core/binding"
import { makeLogLimit } from "@mailkeep/core/binding"
import { Context } from "effect"

const storePeriodMillis = 10_000

/** Makes the limit of one handler. */
export const makeStoreWarnings = (): LogLimit => makeLogLimit(storePeriodMillis)

/** Limits the warnings about requests refused because the store is unavailable. Each handler has one limit. */
export const StoreWarnings = Context.Reference<LogLimit>("@mailkeep/http/server/StoreWarnings", {
  defaultValue: makeStoreWarnings
})
