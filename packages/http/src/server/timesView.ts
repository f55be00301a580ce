/**
 * Converts the times of a record to the wire format.
 */
import { formatInstant } from "@mailkeep/core"

/** When a record was created, and when it was last updated. */
export const timesView = ({ createdAt, updatedAt }: { readonly createdAt: number; readonly updatedAt: number }) => ({
  created_at: formatInstant(createdAt),
  updated_at: formatInstant(updatedAt)
})
