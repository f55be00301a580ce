/**
 * The flags of the command and the environment variables that stand in for them.
 */
import type { Permission } from "@mailkeep/core"
import { dayMillis, hourMillis, isRange, minuteMillis, parseInstant, permissions, secondMillis } from "@mailkeep/core"
import type { BucketLimit } from "@mailkeep/core"
import { Config, Option, Schema } from "effect"
import { Flag } from "effect/cli"

const fromEnvironment = (name: string) => `MAILKEEP_${name}`

export const data = Flag.String("data").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("DATA"))),
  Flag.withDefault("./mailkeep-data"),
  Flag.withDescription(
    "The folder that holds the store, for its owner alone; made when it does not exist. MAILKEEP_DATA"
  )
)

export const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print exactly one line of JSON on standard output")
)

export const project = Flag.String("project").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("PROJECT"))),
  Flag.withDescription("The project, such as prj_acme; naming one makes it. MAILKEEP_PROJECT")
)

export const host = Flag.String("host").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("HOST"))),
  Flag.withDefault("127.0.0.1"),
  Flag.withDescription("The address to listen on. MAILKEEP_HOST")
)

export const port = Flag.Int("port").pipe(
  Flag.withFallbackConfig(Config.Int(fromEnvironment("PORT"))),
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))),
  Flag.withDefault(4025),
  Flag.withDescription("The port to listen on; 0 picks a free one. MAILKEEP_PORT")
)

export const transport = Flag.Literals("transport", ["stub"]).pipe(
  Flag.withFallbackConfig(Config.Literals(["stub"], fromEnvironment("TRANSPORT"))),
  Flag.withDefault("stub" as const),
  Flag.withDescription("How mail leaves: the stub takes every message and delivers it to nobody. MAILKEEP_TRANSPORT")
)

/** A limit of the default plan: off unless given. */
const planLimit = (flag: string, variable: string, description: string) =>
  Flag.Int(flag).pipe(
    Flag.withFallbackConfig(Config.Int(fromEnvironment(variable))),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withDescription(`${description}; off unless given. ${fromEnvironment(variable)}`),
    Flag.optional,
    Flag.map(Option.getOrNull)
  )

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: secondMillis, m: minuteMillis, h: hourMillis }

/** `10/1s`: ten requests in a second. */
export const parseRateLimit = (text: string): BucketLimit | undefined => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,8})?(ms|s|m|h)$/.exec(text)
  return match === null
    ? undefined
    : { requests: Number(match[1]), windowMillis: Number(match[2] ?? 1) * unitMillis[match[3]!]! }
}

/** `10s` or `500ms`, in milliseconds; at most a day. */
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
    "How long a shutdown waits for requests, hand-offs and webhooks under way, all at the same time, such as 10s. MAILKEEP_GRACE"
  )
)

const rateLimit = Flag.String("rate-limit").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("RATE_LIMIT"))),
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseRateLimit(text)),
    (text) => `Expected requests per time, such as 10/1s, not "${text}"`
  ),
  Flag.withDescription(
    "Sends and contact creates for each key and each project, such as 10/1s; off unless given. MAILKEEP_RATE_LIMIT"
  ),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

/** The default plan. */
export const plan = {
  dailySends: planLimit("daily-sends", "DAILY_SENDS", "Recipients a day, in UTC"),
  sendingAllowance: planLimit("sending-allowance", "SENDING_ALLOWANCE", "Recipients in all"),
  scheduledRecipients: planLimit(
    "scheduled-recipients",
    "SCHEDULED_RECIPIENTS",
    "Recipients waiting in scheduled messages"
  ),
  contacts: planLimit("contacts", "CONTACTS", "Contacts"),
  rateLimit
}

export const permission = Flag.Literals("permission", permissions).pipe(
  Flag.atLeast(1),
  Flag.withDescription("What the key may do; once for each"),
  Flag.map((given): ReadonlyArray<Permission> => given)
)

export const domainScope = Flag.String("domain-scope").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A domain the key may send from; once for each, any verified one when left out")
)

export const expiresAt = Flag.String("expires-at").pipe(
  Flag.filterMap(
    (text) => Option.fromNullishOr(parseInstant(text)),
    (text) => `Expected an ISO 8601 date and time with an offset, not "${text}"`
  ),
  Flag.withDescription("When the key stops working, such as 2027-01-01T00:00:00Z"),
  Flag.optional
)

export const keyName = Flag.String("name").pipe(
  Flag.withDefault(""),
  Flag.withDescription("What the key is for, for people")
)

export const verified = Flag.Boolean("verified").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Take the operator's word that the domain is the project's")
)

export const search = Flag.String("search").pipe(
  Flag.withDescription("Only what holds this text, in any case"),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

export const limit = Flag.Int("limit").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
  Flag.withDefault(50),
  Flag.withDescription("How many, 1 to 100")
)

export const dns = Flag.String("dns").pipe(
  Flag.atLeast(0),
  Flag.withDescription("A name server for the checks of domains, such as 127.0.0.1:5353; the system's when left out")
)

export const mailHost = Flag.String("mail-host").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("MAIL_HOST"))),
  Flag.withDefault("localhost"),
  Flag.withDescription("The mail host that the records to publish name. MAILKEEP_MAIL_HOST")
)

const allowLoopback = Flag.Boolean("allow-loopback-webhooks").pipe(
  Flag.withDefault(false),
  Flag.withDescription("For development: let webhooks go to this machine, over http, and to any port")
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
    (text) => `Expected ports from 1 to 65535 with commas between them, such as 443,8443, not "${text}"`
  ),
  Flag.withDescription("The ports that webhooks may use. MAILKEEP_WEBHOOK_PORTS")
)

const rangesOf = (text: string): ReadonlyArray<string> | undefined => {
  const ranges = text === "" ? [] : text.split(",")
  return ranges.every(isRange) ? ranges : undefined
}

const webhookDeny = Flag.String("webhook-deny").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("WEBHOOK_DENY"))),
  Flag.withDefault(""),
  Flag.filterMap(
    (text) => Option.fromNullishOr(rangesOf(text)),
    (text) => `Expected addresses or ranges with commas between them, such as 203.0.113.0/24,2001:db8::1, not "${text}"`
  ),
  Flag.withDescription("Public addresses and ranges that no webhook may go to. MAILKEEP_WEBHOOK_DENY")
)

/** Where webhooks may go. */
export const webhookTargets = { allowLoopback, ports: webhookPorts, deniedAddresses: webhookDeny }
