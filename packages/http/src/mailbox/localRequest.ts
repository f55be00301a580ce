/**
 * Decides whether a request comes from this machine. The host is checked too, because a page of another site can let its own name point to
 * this machine (DNS rebinding). Source: decision 0058.
 */
import { isLoopbackAddress } from "@mailkeep/core/binding"

/** The header fields of a request by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

const hostForm = /^(?:(?:[a-z\d-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Whether a value of `Host` names this machine: `localhost`, a name below it, or an address, with an optional port. */
export const isLocalHost = (host: string): boolean => hostForm.test(host)

const itemsOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value.split(",").map((item) => item.trim())

/**
 * Whether the request comes from this machine: by the address of the client, if it is known, by `Host`, and by the fields with which a proxy
 * passes on both.
 */
export const isLocalRequest = (headers: RequestHeaders, clientAddress: string | undefined): boolean =>
  (clientAddress === undefined || isLoopbackAddress(clientAddress)) &&
  isLocalHost(headers["host"] ?? "") &&
  headers["forwarded"] === undefined &&
  itemsOf(headers["x-forwarded-host"]).every(isLocalHost) &&
  [...itemsOf(headers["x-forwarded-for"]), ...itemsOf(headers["x-real-ip"])].every(isLoopbackAddress)

/**
 * Whether a page of the mailbox itself sent the request. A browser says so in `Sec-Fetch-Site`; an older browser only has `Origin`. The forms also have
 * a token, which no other page knows.
 */
export const isOwnPage = (headers: RequestHeaders): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin") return false
  const origin = headers["origin"]
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === headers["host"]?.toLowerCase())
}
