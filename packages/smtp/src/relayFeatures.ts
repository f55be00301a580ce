/**
 * What a relay offers: the keywords of its reply to `EHLO` (RFC 5321 §4.1.1.1).
 */

/** What a relay offers over one connection. */
export interface RelayFeatures {
  /** The version of TLS, such as `TLSv1.3`; `null` for a connection that is not encrypted. */
  readonly tlsVersion: string | null
  /** Whether the transport has logged in. */
  readonly authenticated: boolean
  /** The mechanisms of `AUTH` (RFC 4954), in upper case. */
  readonly authMethods: ReadonlyArray<string>
  /** The largest message in bytes (RFC 1870); `null` if the relay states none. */
  readonly sizeMax: number | null
  /** Commands may be sent without waiting for each reply (RFC 2920). */
  readonly pipelining: boolean
  /** Addresses may be other than ASCII (RFC 6531). */
  readonly smtpUtf8: boolean
  /** The relay sends delivery status notifications on request (RFC 3461). */
  readonly dsn: boolean
  /** A message may have bytes above 127 (RFC 6152). */
  readonly eightBitMime: boolean
}

/** The keywords of the reply to `EHLO` with their parameters, in upper case. Some relays repeat `AUTH` in the old form `AUTH=LOGIN`, so all of its lines count. */
export const keywordsOf = (reply: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const keywords = new Map<string, Set<string>>()
  for (const line of reply.split("\n").slice(1)) {
    const [keyword = "", ...parameters] = line
      .slice(4)
      .trim()
      .toUpperCase()
      .split(/[\s=]+/)
    const known = keywords.get(keyword) ?? new Set<string>()
    for (const parameter of parameters) known.add(parameter)
    keywords.set(keyword, known)
  }
  return keywords
}

/** Reads the features from the reply to `EHLO`, whose lines are separated by `\n`. The reply to `HELO` has none. */
export const featuresOf = (reply: string): Omit<RelayFeatures, "tlsVersion" | "authenticated"> => {
  const keywords = keywordsOf(reply)
  const [size = "0"] = keywords.get("SIZE") ?? []
  return {
    authMethods: [...(keywords.get("AUTH") ?? [])],
    sizeMax: /^[1-9]\d{0,14}$/.test(size) ? Number(size) : null,
    pipelining: keywords.has("PIPELINING"),
    smtpUtf8: keywords.has("SMTPUTF8"),
    dsn: keywords.has("DSN"),
    eightBitMime: keywords.has("8BITMIME")
  }
}
