/**
 * The name of a relay in one form.
 */
import { isIP } from "node:net"
import { domainToASCII } from "node:url"

/** Removes the brackets of an IPv6 address, and writes a name in the form that DNS has. */
export const canonicalHost = (host: string): string => {
  const bare = host.replace(/^\[([^\]]*)\]$/, "$1")
  return isIP(bare) === 0 ? domainToASCII(bare) : bare
}
