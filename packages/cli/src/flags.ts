/**
 * The flags of the command, and the environment variables that replace absent flags.
 */
import type { Permission, BucketLimit } from "@mailkeep/core"
import {
  dayMillis,
  hourMillis,
  isAddressRange,
  isMailHostName,
  minuteMillis,
  secondMillis
} from "@mailkeep/core/binding"
import { noLimits, parseInstant, permissions } from "@mailkeep/core"
import { isNameServer } from "@mailkeep/core/node/dns"
import { Config, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { asLocation } from "./storeLocation.ts"

/** The environment variable that replaces an absent flag. */
export const fromEnvironment = (name: string) => `MAILKEEP_${name}`

const folder = Flag.String("data").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("DATA"))),
  Flag.withDefault("./mailkeep-data"),
  Flag.withDescription(
    "The data folder with the store, private to its owner; created if it does not exist; default ./mailkeep-data. MAILKEEP_DATA"
  )
)

/** Of a URL that is wrong, the complaint does not show the password. */
const store = Flag.String("store").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("STORE"))),
  asLocation,
  Flag.withDescription(
    "The store, such as postgres://user:password@db.example/mail or sqlite:mail.db, instead of a data folder. MAILKEEP_STORE"
  ),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** Where the mail is kept: a data folder, or the location of a store, which wins. */
export const data = { folder, store }

export const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print exactly one line of JSON on standard output")
)

export const project = Flag.String("project").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("PROJECT"))),
  Flag.withDescription("The project, such as prj_acme; created on first use. MAILKEEP_PROJECT")
)

/** Node listens on every address of the machine for an empty text, such as that of a shell variable without a value. */
export const asListenAddress = <A extends string | undefined>(flag: Flag.Flag<A>): Flag.Flag<A> =>
  flag.pipe(
    Flag.filter(
      (address) => address !== "",
      () => "Expected an address to listen on, such as 127.0.0.1, or 0.0.0.0 for every address"
    )
  )

export const host = Flag.String("host").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("HOST"))),
  Flag.withDefault("127.0.0.1"),
  asListenAddress,
  Flag.withDescription("The address to listen on, such as 0.0.0.0 for every address; default 127.0.0.1. MAILKEEP_HOST")
)

export const port = Flag.Int("port").pipe(
  Flag.withFallbackConfig(Config.Int(fromEnvironment("PORT"))),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))),
  Flag.withDefault(4025),
  Flag.withDescription("The port to listen on; 0 picks a free one; default 4025. MAILKEEP_PORT")
)

/** A limit of the default plan; default no limit. */
const planLimit = (flag: string, variable: string, description: string) =>
  Flag.Int(flag).pipe(
    Flag.withFallbackConfig(Config.Int(fromEnvironment(variable))),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withDescription(`${description}; default no limit. ${fromEnvironment(variable)}`),
    Flag.optional,
    Flag.map(Option.getOrNull)
  )

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: secondMillis, m: minuteMillis, h: hourMillis }

/** `10/1s` means ten requests per second. */
export const parseRateLimit = (text: string): BucketLimit | undefined => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,8})?(ms|s|m|h)$/.exec(text)
  return match === null
    ? undefined
    : { requests: Number(match[1]), windowMillis: Number(match[2] ?? 1) * unitMillis[match[3]!]! }
}

/** The milliseconds of `10s` or `500ms`; at most one day. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(0|[1-9][0-9]{0,7})(ms|s|m|h)$/.exec(text)
  const millis = match === null ? Number.NaN : Number(match[1]) * unitMillis[match[2]!]!
  return millis <= dayMillis ? millis : undefined
}

export const grace = Flag.String("grace").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("GRACE"))),
  Flag.withDefault("10s"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseDuration(text)),
    (text) => `Expected a duration of at most a day, such as 10s, not "${text}"`
  ),
  Flag.withDescription(
    "How long a shutdown waits for running requests, hand-offs and webhooks in total; default 10s. MAILKEEP_GRACE"
  )
)

/** A whole number within the bounds, or `undefined`. */
export const optionalInteger = (
  flag: string,
  variable: string,
  bounds: { readonly minimum: number; readonly maximum: number },
  description: string
) =>
  Flag.Int(flag).pipe(
    Flag.withFallbackConfig(Config.Int(fromEnvironment(variable))),
    Flag.withSchema(Schema.Int.check(Schema.isBetween(bounds))),
    Flag.withDescription(`${description}. ${fromEnvironment(variable)}`),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

const keepDays = (flag: string, variable: string, description: string) =>
  optionalInteger(flag, variable, { minimum: 1, maximum: 36_500 }, description)

/** After how many days records are deleted. */
export const retention = {
  keepMessagesDays: keepDays(
    "keep-messages-days",
    "KEEP_MESSAGES_DAYS",
    "Days after the end of its deliveries until a message is deleted, with its log and its files; default never"
  ),
  keepBodiesDays: keepDays(
    "keep-bodies-days",
    "KEEP_BODIES_DAYS",
    "Days after the end of its deliveries until the bodies of a message are deleted; default with the message"
  ),
  keepAttachmentsDays: keepDays(
    "keep-attachments-days",
    "KEEP_ATTACHMENTS_DAYS",
    "Days after the end of its deliveries until the files of a message are deleted; default with the message"
  ),
  keepEventsDays: keepDays("keep-events-days", "KEEP_EVENTS_DAYS", "Days until an event is deleted; default 30")
}

const rateLimit = Flag.String("rate-limit").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("RATE_LIMIT"))),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseRateLimit(text)),
    (text) => `Expected a number of requests per time, such as 10/1s, not "${text}"`
  ),
  Flag.withDescription(
    "Sends and contact creations per API key and per project, such as 10/1s; default no limit. MAILKEEP_RATE_LIMIT"
  ),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

const attachmentBytes = Flag.Int("attachment-bytes").pipe(
  Flag.withFallbackConfig(Config.Int(fromEnvironment("ATTACHMENT_BYTES"))),
  Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  Flag.withDefault(noLimits.attachmentBytes),
  Flag.withDescription("Bytes of all files of one message; default 20 MiB. MAILKEEP_ATTACHMENT_BYTES")
)

/** The default plan. */
export const plan = {
  dailySends: planLimit("daily-sends", "DAILY_SENDS", "Recipients per UTC day"),
  sendingAllowance: planLimit("sending-allowance", "SENDING_ALLOWANCE", "Recipients in total"),
  scheduledRecipients: planLimit("scheduled-recipients", "SCHEDULED_RECIPIENTS", "Recipients of scheduled messages"),
  contacts: planLimit("contacts", "CONTACTS", "Contacts"),
  attachmentBytes,
  rateLimit
}

/** A flag with a text, or `undefined`. */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

export const permission = Flag.Literals("permission", permissions).pipe(
  Flag.atLeast(1),
  Flag.withDescription("A permission of the API key; repeatable"),
  Flag.map((given): ReadonlyArray<Permission> => given)
)

export const domainScope = Flag.String("domain-scope").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A domain that the API key may send from; repeatable; default every verified domain")
)

export const expiresAt = Flag.String("expires-at").pipe(
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseInstant(text)),
    (text) => `Expected an ISO 8601 date and time with an offset, on a date that exists, not "${text}"`
  ),
  Flag.withDescription("When the API key expires, such as 2027-01-01T00:00:00Z"),
  Flag.optional
)

export const keyName = Flag.String("name").pipe(
  Flag.withDefault(""),
  Flag.withDescription("A name that describes the use of the API key")
)

export const verified = Flag.Boolean("verified").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Mark the domain as verified without a DNS check")
)

export const search = Flag.String("search").pipe(
  Flag.withDescription("Show only items that contain this text, in upper or lower case"),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

export const limit = Flag.Int("limit").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
  Flag.withDefault(50),
  Flag.withDescription("The number of items, 1 to 100; default 50")
)

export const dns = Flag.String("dns").pipe(
  Flag.filter(
    (server: string) => isNameServer(server),
    (server) => `Expected the IP address of a name server, such as 127.0.0.1:5353 or [2001:db8::1]:53, not "${server}"`
  ),
  Flag.atLeast(0),
  Flag.withDescription("A name server for the domain checks, such as 127.0.0.1:5353; repeatable; default the system's")
)

export const mailHost = Flag.String("mail-host").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("MAIL_HOST"))),
  Flag.withDefault("localhost"),
  Flag.filter(
    (name: string) => isMailHostName(name),
    (name) => `Expected the name of a mail host, such as mail.acme.example, not "${name}"`
  ),
  Flag.withDescription(
    "The mail host in the DNS records that a domain gets; default localhost, which no receiver finds. MAILKEEP_MAIL_HOST"
  )
)

const allowLoopback = Flag.Boolean("allow-loopback-webhooks").pipe(
  Flag.withDefault(false),
  Flag.withDescription("For development: allow webhooks to this machine, over http and to any port")
)

const portsOf = (text: string): ReadonlyArray<number> | undefined => {
  const ports = text.split(",").map((one) => (/^\d{1,5}$/.test(one) ? Number(one) : 0))
  return ports.every((one) => one >= 1 && one <= 65535) ? ports : undefined
}

const webhookPorts = Flag.String("webhook-ports").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("WEBHOOK_PORTS"))),
  Flag.withDefault("443,8443"),
  Flag.filterMap(
    (text) => Option.fromNullishOr(portsOf(text)),
    (text) => `Expected ports from 1 to 65535, separated by commas, such as 443,8443, not "${text}"`
  ),
  Flag.withDescription("The ports that webhooks may use; default 443,8443. MAILKEEP_WEBHOOK_PORTS")
)

const rangesOf = (text: string): ReadonlyArray<string> | undefined => {
  const ranges = text === "" ? [] : text.split(",")
  return ranges.every(isAddressRange) ? ranges : undefined
}

const webhookDeny = Flag.String("webhook-deny").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("WEBHOOK_DENY"))),
  Flag.withDefault(""),
  Flag.filterMap(
    (text) => Option.fromNullishOr(rangesOf(text)),
    (text) => `Expected addresses or ranges, separated by commas, such as 203.0.113.0/24,2001:db8::1, not "${text}"`
  ),
  Flag.withDescription("Public addresses and ranges that webhooks may not use; default none. MAILKEEP_WEBHOOK_DENY")
)

/** The rules for URLs of webhooks. */
export const webhookRules = { allowLoopback, ports: webhookPorts, deniedAddresses: webhookDeny }
