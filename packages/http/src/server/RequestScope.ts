/**
 * What belongs to one request: its correlation id, and the headers its response will have besides its own.
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

/** An inbound `X-Request-Id` of the right form is adopted. Source: decision 0009. */
export const requestScope = (inbound: string | undefined): RequestScopeShape => ({
  correlationId: inbound !== undefined && adoptable.test(inbound) ? inbound : crypto.randomUUID(),
  responseHeaders: {}
})
