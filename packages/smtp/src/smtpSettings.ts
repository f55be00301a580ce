/**
 * The options of the SMTP transport with all defaults.
 */
import { isLoopbackHost } from "@mailkeep/core/adapter"
import type { Given } from "@mailkeep/core/options"
import { given } from "@mailkeep/core/options"
import { Result } from "effect"
import type { TokenLogin } from "./accessToken.ts"
import { makeTokenLogin } from "./accessToken.ts"
import { canonicalHost } from "./canonicalHost.ts"
import type {
  CertificateOptions,
  PasswordAuth,
  SmtpAuth,
  SmtpOptions,
  SmtpPoolOptions,
  SmtpTimeoutOptions,
  TlsMode
} from "./SmtpOptions.ts"
import { SmtpOptionsInvalid } from "./SmtpOptions.ts"
import { smtpOptionsRule } from "./smtpOptionsRule.ts"

/** The options with all defaults. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  readonly certificate: CertificateOptions
  readonly auth: PasswordAuth | TokenLogin | null
  readonly allowPlaintextAuth: boolean
  readonly clientName: string | null
  readonly pool: Given<Required<SmtpPoolOptions>>
  readonly timeouts: Given<Required<SmtpTimeoutOptions>>
  readonly maxMessageBytes: number | null
  readonly smtpUtf8: boolean
  readonly confirmsDelivery: boolean
  readonly dsn: boolean
  readonly textAlternative: boolean
}

const poolDefaults = { connectionsMax: 5, handOffsMax: 100, ageMillisMax: 300_000, idleMillisMax: 30_000 }

const timeoutDefaults = {
  connectMillis: 30_000,
  greetingMillis: 60_000,
  commandMillis: 300_000,
  dataBlockMillis: 180_000,
  endOfDataReplyMillis: 600_000
}

/** A field that is absent can be `undefined`. */
const loginOf = (auth: SmtpAuth): PasswordAuth | TokenLogin => {
  const fields = given<SmtpAuth>(auth)
  return "accessToken" in fields ? makeTokenLogin(fields) : fields
}

/** Checks the options and adds the defaults. */
export const settingsOf = (options: SmtpOptions): Result.Result<SmtpSettings, SmtpOptionsInvalid> => {
  const problem = smtpOptionsRule(options, "")
  if (problem !== undefined) return Result.fail(new SmtpOptionsInvalid({ reason: problem }))
  const host = canonicalHost(options.host)
  // No other machine can read the connection.
  const loopback = isLoopbackHost(host)
  const auth = options.auth === undefined ? null : loginOf(options.auth)
  const tls = options.tls ?? (loopback && auth === null ? "off" : "required")
  const settings: SmtpSettings = {
    host,
    port: options.port ?? (tls === "implicit" ? 465 : 587),
    tls,
    certificate: options.certificate ?? {},
    auth,
    allowPlaintextAuth: options.allowPlaintextAuth ?? loopback,
    clientName: options.clientName ?? null,
    pool: { ...poolDefaults, ...given(options.pool ?? {}) },
    timeouts: { ...timeoutDefaults, ...given(options.timeouts ?? {}) },
    maxMessageBytes: options.maxMessageBytes ?? null,
    smtpUtf8: options.smtpUtf8 ?? false,
    confirmsDelivery: options.confirmsDelivery ?? false,
    dsn: options.dsn ?? true,
    textAlternative: options.textAlternative ?? true
  }
  return auth !== null && tls === "off" && !settings.allowPlaintextAuth
    ? Result.fail(new SmtpOptionsInvalid({ reason: plaintextAuth }))
    : Result.succeed(settings)
}

const plaintextAuth =
  'credentials are not sent without encryption. Choose another tls than "off", or set allowPlaintextAuth.'
