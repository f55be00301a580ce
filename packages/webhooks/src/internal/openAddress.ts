/**
 * Resolves a host to one address that a request may use, or refuses the host.
 */
import { Resolver } from "node:dns/promises"
import type { WebhookUrlRules } from "@mailkeep/core/adapter"
import { isPublicAddress, isWebhookAddress } from "@mailkeep/core/adapter"
import { SinkUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

interface Allowing {
  readonly rules: WebhookUrlRules
  readonly nameServers: ReadonlyArray<string> | undefined
}

const familyOf = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4)

/** Asks name servers directly. The system look-up has four threads, and a few slow names would block all other names. */
const resolved = async (host: string, { nameServers }: Allowing): Promise<ReadonlyArray<string>> => {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
}

const addressesOf = (host: string, allowing: Allowing) =>
  isPublicAddress(host) !== undefined
    ? Effect.succeed([host])
    : allowing.rules.allowLoopback && (host === "localhost" || host.endsWith(".localhost"))
      ? Effect.succeed(["127.0.0.1"])
      : Effect.promise(() => resolved(host, allowing))

/** Every address of the host must be public, because the next look-up might return any of them. */
export const openAddress = (url: URL, allowing: Allowing): Effect.Effect<Address, SinkUnavailable> =>
  Effect.flatMap(addressesOf(url.hostname.replace(/^\[|\]$/g, ""), allowing), (addresses) => {
    const [first] = addresses
    if (first === undefined) return Effect.fail(new SinkUnavailable({ reason: "name_not_resolved" }))
    return addresses.every((address) => isWebhookAddress(address, allowing.rules))
      ? Effect.succeed({ address: first, family: familyOf(first) })
      : Effect.fail(new SinkUnavailable({ reason: "address_not_allowed" }))
  })
