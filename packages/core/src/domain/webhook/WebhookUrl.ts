/**
 * The rules for the endpoint of a webhook: for its URL at creation, and for the resolved address at each attempt.
 * Source: docs/spec/clarifications.md W8; decisions 0028 and 0035.
 */
import type { OptionRules } from "../value/OptionRule.ts"
import { flagOption, given, listOption } from "../value/OptionRule.ts"
import {
  hostOf,
  isInRange,
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
  isAddressRange
} from "../value/NetworkAddress.ts"

/** The URLs, addresses and ports that endpoints of webhooks may have. */
export interface WebhookUrlRules {
  /** For development. Allows loopback addresses, `http` to them, and all ports. */
  readonly allowLoopback: boolean
  /** The allowed ports. */
  readonly ports: ReadonlyArray<number>
  /** Public addresses and ranges that are refused, such as `203.0.113.7` or `2001:db8::/32`. */
  readonly deniedAddresses: ReadonlyArray<string>
}

const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535

/** The form of the rules, as options of the operator. */
export const webhookRules: OptionRules<WebhookUrlRules> = {
  allowLoopback: flagOption,
  ports: listOption("ports from 1 to 65535", isPort),
  deniedAddresses: listOption(
    "IP addresses or ranges, such as 10.0.0.0/8",
    (item) => typeof item === "string" && isAddressRange(item)
  )
}

/** Adds the defaults to the rules: no loopback, ports 443 and 8443, no denied addresses. Throws if a denied range is not valid. */
export const webhookUrlRules = (options: Partial<WebhookUrlRules> = {}): WebhookUrlRules => {
  const rules = { allowLoopback: false, ports: [443, 8443], deniedAddresses: [], ...given(options) }
  const wrong = rules.deniedAddresses.find((range) => !isAddressRange(range))
  if (wrong !== undefined)
    throw new RangeError(`deniedAddresses: "${wrong}" is not an IP address or a range such as 10.0.0.0/8`)
  return rules
}

/** The maximum length of the URL of a webhook. */
export const webhookUrlCharactersMax = 2000

/** Whether the text has white space or a control character. A parser would remove some of them, and the request would go to another URL than the text. */
const hasWhiteSpace = (text: string): boolean => /[\u0000-\u0020\u007f]/.test(text)

/** Whether the rules allow the URL's port. */
export const isWebhookPort = ({ port, protocol }: URL, { allowLoopback, ports }: WebhookUrlRules): boolean =>
  allowLoopback || ports.includes(port === "" ? (protocol === "http:" ? 80 : 443) : Number(port))

/** Whether the rules allow a resolved address. */
export const isWebhookAddress = (address: string, { allowLoopback, deniedAddresses }: WebhookUrlRules): boolean =>
  (isPublicAddress(address) === true || (allowLoopback && isLoopbackAddress(address))) &&
  !deniedAddresses.some((range) => isInRange(address, range))

const thisMachineProblem =
  "must be https with a public address; for development, the operator can allow this machine: allowLoopback, --allow-loopback-webhooks"

/** Returns which rule the URL breaks, as a predicate that follows the field's name. Returns `undefined` if the URL is allowed. */
export const webhookUrlProblem = (text: string, rules: WebhookUrlRules): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || hasWhiteSpace(text) || text.length > webhookUrlCharactersMax) return "must be a URL"
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password"
  const host = hostOf(url)
  const local = isLoopbackHost(host)
  if (local && rules.allowLoopback)
    return url.protocol === "https:" || url.protocol === "http:" ? undefined : "must be http or https"
  if (local) return thisMachineProblem
  if (url.protocol !== "https:") return "must be https"
  if (!isWebhookPort(url, rules)) return `must use port ${rules.ports.join(" or ")}`
  if (isPublicAddress(host) === false) return "must not be a private, local or metadata address"
  return isPublicAddress(host) === true && !isWebhookAddress(host, rules)
    ? "must not be an address that the operator denies"
    : undefined
}
