/**
 * The data of one request: its correlation id, and extra headers of its response.
 */
import { Context } from "effect"

export interface RequestScopeShape {
  readonly correlationId: string
  readonly responseHeaders: Record<string, string>
}

export const RequestScope = Context.Reference<RequestScopeShape>("@mailkeep/http/server/RequestScope", {
  defaultValue: () => ({ correlationId: "-", responseHeaders: {} })
})

const adoptable = /^[\w-]{1,64}$/

/** Uses an inbound `X-Request-Id` of the right form; otherwise makes a new id. Source: decision 0009. */
export const requestScope = (inbound: string | undefined): RequestScopeShape => ({
  correlationId: inbound !== undefined && adoptable.test(inbound) ? inbound : crypto.randomUUID(),
  responseHeaders: {}
})
