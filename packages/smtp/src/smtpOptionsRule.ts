/**
 * The rules for the options of the SMTP transport. An option of another program, such as `secure` or `dkim`, would change nothing without a word. With
 * an unknown `tls`, the transport would encrypt only when the relay offers it.
 */
import type { OptionRule, OptionRules } from "@mailkeep/core/options"
import {
  flagOption,
  functionOption,
  given,
  hasPemCertificate,
  isFields,
  mustBe,
  optionsOf,
  timerMillisMax,
  wholeOption,
  wholeOrNullOption
} from "@mailkeep/core/options"
import { Redacted } from "effect"
import { canonicalHost } from "./canonicalHost.ts"
import type {
  AccessTokenAuth,
  CertificateOptions,
  PasswordAuth,
  SmtpOptions,
  SmtpPoolOptions,
  SmtpTimeoutOptions,
  TlsMode
} from "./SmtpOptions.ts"

const isText = (value: unknown): value is string => typeof value === "string"

const isHost = (value: unknown): boolean => isText(value) && /^[!-~]+$/.test(canonicalHost(value))

const isClientName = (value: unknown): boolean => isText(value) && /^[!-~]{1,255}$/.test(value)

/** Text that the commands of SMTP can contain. */
const credential: OptionRule = mustBe(
  "text of at least one character",
  (value) => isText(value) && value !== "" && !value.includes("\0")
)

const password: OptionRule = (value, path) =>
  value === undefined || Redacted.isRedacted(value)
    ? credential(value && Redacted.value(value), path)
    : `${path} must be redacted; wrap it with Redacted.make.`

const passwordAuth: OptionRules<PasswordAuth> = {
  user: credential,
  password,
  method: mustBe('"PLAIN" or "LOGIN"', (value) => value === "PLAIN" || value === "LOGIN")
}

const accessTokenAuth: OptionRules<AccessTokenAuth> = { user: credential, accessToken: functionOption }

/** An absent password and an absent access token can be `undefined`, as in every group of options. */
const auth: OptionRule = (value, path) => {
  if (!isFields(value)) return `${path} must be an object with user and password, or with user and accessToken.`
  const present = given(value)
  const hasToken = "accessToken" in present || ("accessToken" in value && !("password" in present))
  return hasToken
    ? optionsOf(accessTokenAuth, { required: ["user", "accessToken"] })(present, path)
    : optionsOf(passwordAuth, { required: ["user", "password"] })(present, path)
}

const tlsModes: Readonly<Record<TlsMode, true>> = { implicit: true, required: true, opportunistic: true, off: true }

const certificate: OptionRules<CertificateOptions> = {
  // Node ignores a text without a certificate. With an empty list, it trusts no certificate.
  ca: mustBe("PEM text, not the name of a file, or a list of at least one PEM text", (value) =>
    Array.isArray(value) ? value.length > 0 && value.every(hasPemCertificate) : hasPemCertificate(value)
  ),
  rejectUnauthorized: flagOption,
  servername: mustBe("a host name", isText)
}

const count = wholeOption(1, Number.MAX_SAFE_INTEGER)
const millis = wholeOption(1, timerMillisMax)

const pool: OptionRules<SmtpPoolOptions> = {
  connectionsMax: count,
  handOffsMax: count,
  ageMillisMax: millis,
  idleMillisMax: millis
}

const timeouts: OptionRules<SmtpTimeoutOptions> = {
  connectMillis: millis,
  greetingMillis: millis,
  commandMillis: millis,
  dataBlockMillis: millis,
  endOfDataReplyMillis: millis
}

const rules: OptionRules<SmtpOptions> = {
  host: mustBe("a host name or an IP address", isHost),
  port: wholeOption(1, 65_535),
  tls: mustBe(`one of ${Object.keys(tlsModes).join(", ")}`, (value) => isText(value) && Object.hasOwn(tlsModes, value)),
  certificate: optionsOf(certificate),
  auth,
  allowPlaintextAuth: flagOption,
  clientName: mustBe("a host name", isClientName),
  pool: optionsOf(pool),
  timeouts: optionsOf(timeouts),
  maxMessageBytes: wholeOrNullOption(1, Number.MAX_SAFE_INTEGER),
  smtpUtf8: flagOption,
  confirmsDelivery: flagOption,
  dsn: flagOption,
  textAlternative: flagOption
}

const options = optionsOf(rules, { required: ["host"] })

/** Says what is wrong with the options, without their values. */
export const smtpOptionsRule: OptionRule = (value, path) =>
  isFields(value) ? options(value, path) : "give the URL of the relay, or options with its host."
