/**
 * The public address of the page that unsubscribes. Source: decision 0045.
 */
import { hostOf, isLoopbackHost } from "../webhook/NetworkAddress.ts"

/** Whether links to unsubscribe can begin with this URL: https without a query, or http on this machine. */
export const isUnsubscribeUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === "https:" || isLoopbackHost(hostOf(url))) && url.search === "" && url.hash === ""
}
