/**
 * The public address of the page that unsubscribes. Source: decision 0045.
 */
import { hostOf, isLoopbackHost } from "../value/NetworkAddress.ts"

/** Whether links to unsubscribe can begin with this URL: https without a query, or http on this machine. */
export const isUnsubscribeUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === "https:" || isLoopbackHost(hostOf(url))) && url.search === "" && url.hash === ""
}

/**
 * Returns what each link begins with: the URL in ASCII without a slash at its end. A host in Unicode becomes A-labels, because a header field with a
 * link has no encoded words (RFC 2369 §2).
 */
export const unsubscribeBaseOf = (url: string): string => new URL(url).href.replace(/(?<!\/)\/+$/, "")
