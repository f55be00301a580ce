/**
 * Why a file is not opened, as an error that can cross between threads. A thread that only reads loads this without the schema.
 */
import type { StoreNotOpened } from "@mailkeep/core/adapter"

/** Says why a file is not opened. `connection.ts` makes a `StoreNotOpened` of it. */
export class NotOpened extends Error {
  readonly reason: StoreNotOpened["reason"]
  readonly detail: string | undefined
  constructor(reason: StoreNotOpened["reason"], options: { readonly detail?: string; readonly cause?: unknown } = {}) {
    super(`The store is not opened: ${reason}.`, { cause: options.cause })
    this.reason = reason
    this.detail = options.detail
  }
}
