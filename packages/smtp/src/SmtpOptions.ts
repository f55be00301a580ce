/**
 * The options of the SMTP transport.
 */
import type { Effect, Redacted } from "effect"
import { Data } from "effect"

/**
 * How the connection to the relay is encrypted.
 *
 * - `implicit`: TLS from the first byte (RFC 8314 §3.3). The scheme `smtps`.
 * - `required`: STARTTLS (RFC 3207). A relay that does not encrypt gets no mail.
 * - `opportunistic`: STARTTLS when the relay offers it, otherwise plain text.
 * - `off`: plain text.
 */
export type TlsMode = "implicit" | "required" | "opportunistic" | "off"

/** Which certificate of the relay is accepted. */
export interface CertificateOptions {
  /** The certificate authorities to trust instead of the usual ones, as PEM. */
  readonly ca?: string | ReadonlyArray<string> | undefined
  /** `false` accepts every certificate, so that an attacker in the network can read the mail; default `true`. */
  readonly rejectUnauthorized?: boolean | undefined
  /** The name that the certificate must have; default the host. */
  readonly servername?: string | undefined
}

/** A user with a password, for `AUTH PLAIN` and `AUTH LOGIN` (RFC 4616). */
export interface PasswordAuth {
  /** The name of the user. */
  readonly user: string
  /** The password. */
  readonly password: Redacted.Redacted<string>
  /** The mechanism; default `PLAIN` if the relay offers it, otherwise `LOGIN`. */
  readonly method?: "PLAIN" | "LOGIN" | undefined
}

/** A user with an OAuth 2.0 access token, for `AUTH XOAUTH2`. */
export interface AccessTokenAuth {
  /** The name of the user, often an address. */
  readonly user: string
  /**
   * Returns an access token. Runs for each new connection. Runs once more with `renew: true` when the relay refused the token; return another
   * one then. If it fails or takes longer than 60 seconds, the hand-off is retried later. The health says that the login fails after five failures in a
   * row, or after the first one of a function that has returned no token yet.
   */
  readonly accessToken: (request: {
    readonly renew: boolean
  }) => Effect.Effect<Redacted.Redacted<string>, unknown> | PromiseLike<Redacted.Redacted<string>>
}

/** How the transport logs in to the relay. */
export type SmtpAuth = PasswordAuth | AccessTokenAuth

/** How many connections are kept, and for how long. */
export interface SmtpPoolOptions {
  /**
   * How many connections are open at the same time; default 5. The dispatcher runs at most twice as many hand-offs at once, and no more than its
   * `concurrency` (default 32). If the relay allows more connections, set more here.
   */
  readonly connectionsMax?: number | undefined
  /** After how many hand-offs a connection is closed; default 100. */
  readonly handOffsMax?: number | undefined
  /** The age from which a connection begins no further hand-off; default 5 minutes. */
  readonly ageMillisMax?: number | undefined
  /** How long an unused connection stays open; default 30 seconds. */
  readonly idleMillisMax?: number | undefined
}

/** How long the transport waits for a silent relay. The deadline of the whole hand-off is the caller's. Source: RFC 5321 §4.5.3.2. */
export interface SmtpTimeoutOptions {
  /** For the connection; default 30 seconds. */
  readonly connectMillis?: number | undefined
  /** For the greeting, and for the TLS handshake after STARTTLS; default 60 seconds. */
  readonly greetingMillis?: number | undefined
  /** For the reply to a command; default 5 minutes. */
  readonly commandMillis?: number | undefined
  /** Until the relay takes a further part of the message; default 3 minutes. */
  readonly dataBlockMillis?: number | undefined
  /** For the reply to the end of data; default 10 minutes. A shorter time causes duplicates. */
  readonly endOfDataReplyMillis?: number | undefined
}

/** The relay, and how the transport hands mail over to it. */
export interface SmtpOptions {
  /** The name or the IP address of the relay. */
  readonly host: string
  /** Default 465 for `tls: "implicit"`, otherwise 587. */
  readonly port?: number | undefined
  /** Default `required`; for a relay on this machine without `auth` `off`, because its certificate is often self-signed and nobody can listen. */
  readonly tls?: TlsMode | undefined
  /** Which certificate of the relay is accepted; default one of the usual authorities, for the host. */
  readonly certificate?: CertificateOptions | undefined
  /** Default none: the transport does not log in. */
  readonly auth?: SmtpAuth | undefined
  /** `true` sends the credentials even if the connection is not encrypted; default only to a relay on this machine. */
  readonly allowPlaintextAuth?: boolean | undefined
  /** The name of this machine in `EHLO`; default its host name, or `[127.0.0.1]` if the name has no dot. */
  readonly clientName?: string | undefined
  /** How many connections are kept, and for how long. */
  readonly pool?: SmtpPoolOptions | undefined
  /** How long the transport waits for a silent relay. */
  readonly timeouts?: SmtpTimeoutOptions | undefined
  /** The largest message in bytes; default `null`: only the relay's own limit applies. */
  readonly maxMessageBytes?: number | null | undefined
  /** Whether the relay takes addresses that are not ASCII (RFC 6531); default `false`: such addresses are refused at acceptance. */
  readonly smtpUtf8?: boolean
  /** `true` if the relay is the recipient's own server, so that a positive reply means delivered; default `false`. */
  readonly confirmsDelivery?: boolean | undefined
  /** Whether to ask the relay for delivery status notifications if it offers them (RFC 3461); default `true`. */
  readonly dsn?: boolean | undefined
  /** Whether to make a text from the html of a message that has no text; default `true`. */
  readonly textAlternative?: boolean | undefined
}

/** The options or the URL of the relay are wrong. The reason contains no value. */
export class SmtpOptionsInvalid extends Data.TaggedError("SmtpOptionsInvalid")<{ readonly reason: string }> {
  override get message() {
    return `The options of the SMTP transport are invalid: ${this.reason}`
  }

  /** Not retryable: the options must be changed. */
  get isRetryable() {
    return false
  }
}
