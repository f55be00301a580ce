/**
 * The rules for the options of a listener. Without them, a limit of a wrong type would be no limit, and a misspelled `port` would be any free port.
 */
import type { OptionRules } from "@mailkeep/core/options"
import { flagOption, mustBe, optionsOf, timerMillisMax, wholeOption } from "@mailkeep/core/options"
import type { TlsOptions } from "./certificate.ts"
import type { ListenerLimits } from "./limits.ts"
import type { ListenerOptions } from "./listener.ts"
import { isGreetingName } from "./session.ts"

const count = wholeOption(1, Number.MAX_SAFE_INTEGER)
const millis = wholeOption(1, timerMillisMax)

const limits: OptionRules<ListenerLimits> = {
  connectionsMax: count,
  connectionsPerAddressMax: count,
  messageBytesMax: count,
  bufferedBytesMax: count,
  recipientsMax: count,
  commandsMax: count,
  errorsMax: wholeOption(0, Number.MAX_SAFE_INTEGER),
  apiKeyFailuresMax: count,
  commandMillis: millis,
  apiKeyMillis: millis,
  stallMillis: millis,
  dataMillis: millis,
  tlsMillis: millis,
  writeMillis: millis,
  connectionMillis: millis,
  graceMillis: wholeOption(0, timerMillisMax)
}

const pem = mustBe("PEM, as text or as bytes", (value) => typeof value === "string" || value instanceof Uint8Array)

const certificate = optionsOf<TlsOptions>({ cert: pem, key: pem }, { required: ["cert", "key"] })

/** A rule for each option of every listener. */
export const listenerRules: OptionRules<ListenerOptions> = {
  host: mustBe("an address or a host name", (value) => typeof value === "string" && value !== ""),
  port: wholeOption(0, 65_535),
  hostName: mustBe(
    "the name of a host in ASCII, such as mail.example.com",
    (value) => typeof value === "string" && isGreetingName(value)
  ),
  // Whether the certificate can be used shows at the start of the listener.
  tls: (value, path) => (typeof value === "function" ? undefined : certificate(value, path)),
  implicitTls: flagOption,
  ...limits
}
