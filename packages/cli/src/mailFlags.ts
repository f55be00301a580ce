/**
 * The flags for the transport, the listeners for bounces and submission, the links to unsubscribe, and the port for health and metrics.
 */
import { isUnsubscribeUrl, parseDomain } from "@mailkeep/core/binding"
import { Config, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { asListenAddress, fromEnvironment, optionalInteger } from "./flags.ts"
import type { ListenerOptions } from "./listeners.ts"

/** The stub, or the URL of a relay. The URL may contain a password. */
export type TransportChoice = "stub" | Redacted.Redacted<string>

/** Checks nothing here, because the complaint about a wrong flag would print its value. The transport checks the URL. */
const choiceOf = (text: string): TransportChoice => (text === "stub" ? "stub" : Redacted.make(text))

export const transport = Flag.String("transport").pipe(
  Flag.withFallbackConfig(Config.String(fromEnvironment("TRANSPORT"))),
  Flag.withDefault("stub"),
  Flag.map(choiceOf),
  Flag.withDescription(
    "The relay that sends the mail, such as smtp://user:password@relay.example:587 or smtps://relay.example; " +
      "MAILKEEP_SMTP_USER and MAILKEEP_SMTP_PASSWORD may hold the login; default stub, which sends nothing. MAILKEEP_TRANSPORT"
  )
)

const optionalText = (flag: string, variable: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withFallbackConfig(Config.String(fromEnvironment(variable))),
    Flag.withDescription(`${description}. ${fromEnvironment(variable)}`),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

const optionalPort = (flag: string, variable: string, description: string) =>
  optionalInteger(flag, variable, { minimum: 0, maximum: 65535 }, `${description}; 0 picks a free port; default none`)

/** Where health and metrics are served. */
export const operations = {
  operationsPort: optionalPort(
    "operations-port",
    "OPERATIONS_PORT",
    "The port for /health and /metrics, apart from the interface"
  ),
  operationsHost: optionalText(
    "operations-host",
    "OPERATIONS_HOST",
    "The address to listen on for /health and /metrics; default 127.0.0.1"
  ).pipe(asListenAddress)
}

/** Where bounces, complaints and submitted mail arrive, and where links to unsubscribe point. */
export const inbound = {
  bouncesPort: optionalPort("bounces-port", "BOUNCES_PORT", "The SMTP port for bounces and complaints"),
  bouncesHost: optionalText(
    "bounces-host",
    "BOUNCES_HOST",
    "The address to listen on for bounces, such as 0.0.0.0; default the same as --host"
  ).pipe(asListenAddress),
  bounceDomain: optionalText(
    "bounce-domain",
    "BOUNCE_DOMAIN",
    "The domain whose mail reaches the port for bounces, for sender domains without a return path of their own"
  ).pipe(
    Flag.filter(
      (domain) => domain === undefined || parseDomain(domain) !== undefined,
      (domain) => `Expected a domain name, such as bounces.host.example, not "${domain}"`
    )
  ),
  smtpPort: optionalPort("smtp-port", "SMTP_PORT", "The port for mail from products that speak only SMTP"),
  smtpHost: optionalText(
    "smtp-host",
    "SMTP_HOST",
    "The address to listen on for SMTP; default the same as --host"
  ).pipe(asListenAddress),
  tlsCert: optionalText(
    "tls-cert",
    "TLS_CERT",
    "The file with the certificate of the SMTP ports, in PEM; read again each minute"
  ),
  tlsKey: optionalText(
    "tls-key",
    "TLS_KEY",
    "The file with the private key of the certificate, in PEM; read again each minute"
  ),
  unsubscribeUrl: optionalText(
    "unsubscribe-url",
    "UNSUBSCRIBE_URL",
    "The public address of /unsubscribe, such as https://mail.example.com/unsubscribe, for links in List-Unsubscribe"
  ).pipe(
    Flag.filter(
      (url) => url === undefined || isUnsubscribeUrl(url),
      (url) => `Expected an https URL without a query, such as https://mail.example.com/unsubscribe, not "${url}"`
    )
  )
}

/** The flags that say something about a port, and the flags of these ports. */
const flagsOfPorts = [
  ["smtpHost", ["smtpPort"]],
  ["bouncesHost", ["bouncesPort"]],
  ["operationsHost", ["operationsPort"]],
  ["tlsCert", ["smtpPort", "bouncesPort"]],
  ["tlsKey", ["smtpPort", "bouncesPort"]]
] as const satisfies ReadonlyArray<readonly [keyof ListenerOptions, ReadonlyArray<keyof ListenerOptions>]>

/** A flag with the environment variable that replaces the flag. */
const flagNameOf = (option: string): string => {
  const words = option.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return `--${words.join("-")} (${fromEnvironment(words.join("_").toUpperCase())})`
}

/** Says which flag has no effect because its port is not opened; `undefined` if every flag has an effect. */
export const flagWithoutPort = (
  options: Pick<ListenerOptions, (typeof flagsOfPorts)[number][0] | (typeof flagsOfPorts)[number][1][number]>
): string | undefined => {
  const found = flagsOfPorts.find(
    ([flag, ports]) => options[flag] !== undefined && ports.every((port) => options[port] === undefined)
  )
  if (found === undefined) return undefined
  const [flag, ports] = found
  return `${flagNameOf(flag)} has no effect without ${ports.map(flagNameOf).join(" or ")}`
}
