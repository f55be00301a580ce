/**
 * Resolves a host to one address that a request may use, or refuses the host.
 */
import { Resolver } from "node:dns/promises"
import type { WebhookUrlRules } from "@mailkeep/core/adapter"
import { hostOf, isIpLiteral, isLoopbackHost, isWebhookAddress, SinkUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Which addresses are allowed, and the name servers to ask; `undefined` for those of the system. */
interface AddressRules {
  readonly rules: WebhookUrlRules
  readonly nameServers: ReadonlyArray<string> | undefined
}

/** Whether the text is the address of a name server, with or without a port. A host name is none. */
export const isNameServer = (text: unknown): boolean => {
  if (typeof text !== "string") return false
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}

const familyOf = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4)

/** Asks name servers directly. The system look-up has four threads, and a few slow names would block all other names. */
const resolved = async (
  host: string,
  { nameServers }: AddressRules,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  signal.addEventListener("abort", () => resolver.cancel())
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
}

const addressesOf = (host: string, options: AddressRules) =>
  isIpLiteral(host)
    ? Effect.succeed([host])
    : options.rules.allowLoopback && isLoopbackHost(host)
      ? Effect.succeed(["127.0.0.1"])
      : Effect.promise((signal) => resolved(host, options, signal))

/** Every address of the host must be public, because the next look-up might return any of them. */
export const resolveAllowedAddress = (url: URL, options: AddressRules): Effect.Effect<Address, SinkUnavailable> =>
  Effect.flatMap(addressesOf(hostOf(url), options), (addresses) => {
    const [first] = addresses
    if (first === undefined) return Effect.fail(new SinkUnavailable({ reason: "name_not_resolved" }))
    return addresses.every((address) => isWebhookAddress(address, options.rules))
      ? Effect.succeed({ address: first, family: familyOf(first) })
      : Effect.fail(new SinkUnavailable({ reason: "address_not_allowed" }))
  })
