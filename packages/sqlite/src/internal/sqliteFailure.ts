/**
 * Converts failures of SQLite to failures of the port.
 */
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { detailOf, reasonOf } from "./resultCodes.ts"

/** Returns the failure of the port. Throws the cause itself if it is a bug. */
export const unavailable = (cause: unknown): StoreUnavailable => {
  const reason = reasonOf(cause)
  if (reason === undefined) throw cause
  const detail = detailOf(cause)
  return new StoreUnavailable({ reason, cause, ...(detail !== undefined && { detail }) })
}
