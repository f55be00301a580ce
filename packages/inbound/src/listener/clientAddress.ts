/**
 * The address of a client, as limits count it.
 */
import { isIPv6 } from "node:net"

/** `::ffff:192.0.2.1` is an IPv4 address on a socket of both families. */
const mapped = /^::ffff:(?=\d+\.)/i

/** The first 64 bits of an IPv6 address, in which one client may use every address. Source: RFC 4291 §2.5.4. */
const network = (address: string): string => {
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const groups = head.split(":").filter(Boolean)
  const rest = tail === undefined ? [] : tail.split(":").filter(Boolean)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...rest]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}

/** Returns the address by which connections and memory are counted: an IPv4 address, or the network of an IPv6 address. */
export const countedAddress = (remoteAddress: string): string => {
  const address = remoteAddress.replace(mapped, "")
  return isIPv6(address) ? network(address) : address
}
