/**
 * Reads the URL of a relay, such as `smtp://user:password@relay.example:587?tls=required`. A failure never contains a part of the URL, because
 * every part of a wrong URL may be a part of the password.
 */
import { Redacted, Result } from "effect"
import type { SmtpOptions, TlsMode } from "./SmtpOptions.ts"
import { canonicalHost } from "./canonicalHost.ts"
import { SmtpOptionsInvalid } from "./SmtpOptions.ts"

/** The options that a URL can have. */
export type SmtpUrlOptions = Pick<SmtpOptions, "host" | "port" | "tls" | "auth" | "certificate" | "clientName">

const invalid = (reason: string) => Result.fail(new SmtpOptionsInvalid({ reason }))

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const tlsModes: ReadonlySet<string> = new Set<TlsMode>(["required", "opportunistic", "off"])

const queryNames = ["tls", "verify", "name"] as const

const queryOptions = (url: URL): Result.Result<Partial<SmtpUrlOptions>, SmtpOptionsInvalid> => {
  const names = [...url.searchParams.keys()]
  if (names.some((name) => !queryNames.some((known) => known === name)) || new Set(names).size < names.length)
    return invalid(`the URL may have only the options ${queryNames.join(", ")}, each once.`)
  const tls = url.searchParams.get("tls")
  if (tls !== null && (url.protocol === "smtps:" || !tlsModes.has(tls)))
    return invalid("the option tls of the URL must be required, opportunistic or off, and smtps has none.")
  const verify = url.searchParams.get("verify")
  if (verify !== null && verify !== "on" && verify !== "off") return invalid("the option verify must be on or off.")
  const name = url.searchParams.get("name")
  return Result.succeed({
    ...(url.protocol === "smtps:" ? { tls: "implicit" as const } : tls === null ? {} : { tls: tls as TlsMode }),
    ...(verify === null ? {} : { certificate: { rejectUnauthorized: verify === "on" } }),
    ...(name === null ? {} : { clientName: name })
  })
}

const credentials = (url: URL): Result.Result<Partial<SmtpUrlOptions>, SmtpOptionsInvalid> => {
  if (url.username === "" && url.password === "") return Result.succeed({})
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user === undefined || password === undefined)
    return invalid("the user or the password of the URL has a % without two hexadecimal digits; write %25 for it.")
  if (user === "" || password === "") return invalid("the URL must have a user and a password, or neither of them.")
  return Result.succeed({ auth: { user, password: Redacted.make(password) } })
}

/**
 * Reads the URL of a relay. The user and the password are percent-encoded. Fails with `SmtpOptionsInvalid` when the text is not such a URL.
 *
 * - `smtp://host:587`: STARTTLS is required. Without credentials, a relay on this machine is not asked for it. The default port is 587.
 * - `smtps://host:465`: TLS from the first byte. The default port is 465.
 * - `?tls=required`, `opportunistic` or `off`; `?verify=off` accepts every certificate; `?name=` is the name of this machine in `EHLO`.
 */
export const parseSmtpUrl = (text: string): Result.Result<SmtpUrlOptions, SmtpOptionsInvalid> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "smtp:" && url.protocol !== "smtps:"))
    return invalid("the URL must have the form smtp://user:password@host:port or smtps://user:password@host:port.")
  const host = decoded(url.hostname)
  if (host === undefined || canonicalHost(host) === "") return invalid("the URL must have a host.")
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "")
    return invalid("the URL may have no path and no fragment. Encode /, ? and # in the password as %2F, %3F and %23.")
  return Result.gen(function* () {
    const query = yield* queryOptions(url)
    const auth = yield* credentials(url)
    return { host, ...(url.port === "" ? {} : { port: Number(url.port) }), ...query, ...auth }
  })
}
