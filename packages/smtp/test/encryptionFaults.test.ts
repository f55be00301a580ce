/**
 * Hand-offs to a relay that fails at STARTTLS or AUTH.
 */
import { describe, it } from "vitest"
import { Redacted } from "effect"
import type { Act, Session, Step } from "./RelayDialogue.ts"
import { testCertificate } from "./testCertificate.ts"
import type { Row } from "./relayFault.ts"
import { endsAsExpected, at, closed, notSmtp, silent, accepted, quick } from "./relayFault.ts"

const auth = { auth: { user: "shop", password: Redacted.make("secret") } }
const startTls = { tls: "required", certificate: { ca: testCertificate } } as const

const encryption: ReadonlyArray<Row> = [
  {
    fault: "no STARTTLS",
    relay: at("starttls", { reply: "502 5.5.1 What" }),
    options: startTls,
    ended: "Unavailable: The relay does not encrypt the connection: it answered STARTTLS with 502."
  },
  {
    fault: "454 to STARTTLS",
    relay: at("starttls", { reply: "454 4.7.0 Not now" }, ["STARTTLS"]),
    options: startTls,
    ended: "Unavailable: The relay does not encrypt the connection: it answered STARTTLS with 454."
  },
  {
    fault: "a closed connection at STARTTLS",
    relay: at("starttls", "drop", ["STARTTLS"]),
    options: startTls,
    ended: closed
  },
  {
    fault: "a closed connection in the handshake",
    relay: at("handshake", "drop", ["STARTTLS"]),
    options: startTls,
    ended: "Unavailable: The connection to the relay failed (ECONNRESET)."
  },
  {
    fault: "a certificate of an unknown authority after STARTTLS",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required" },
    ended: "Unavailable: The certificate of the relay is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)."
  },
  {
    fault: "a certificate of another name after STARTTLS",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required", certificate: { ca: testCertificate, servername: "relay.example" } },
    ended: "Unavailable: The certificate of the relay is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)."
  },
  {
    fault: "a certificate of an unknown authority with implicit TLS",
    relay: { implicitTls: true },
    options: { tls: "implicit" },
    ended: "Unavailable: The certificate of the relay is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)."
  },
  {
    fault: "any certificate when none is checked",
    relay: { keywords: ["STARTTLS"] },
    options: { tls: "required", certificate: { rejectUnauthorized: false } },
    ended: accepted,
    finalized: 1
  },
  {
    fault: "plain text on a port for implicit TLS",
    relay: {},
    options: { tls: "implicit", certificate: { ca: testCertificate } },
    ended: /^Unavailable: The connection to the relay failed \(ERR_SSL_[A-Z_]+\)\.$/
  },
  {
    fault: "454 to STARTTLS when encryption is optional",
    relay: at("starttls", { reply: "454 4.7.0 Not now" }, ["STARTTLS"]),
    options: { tls: "opportunistic", certificate: { ca: testCertificate } },
    ended: accepted,
    finalized: 1
  },
  {
    fault: "plain text behind the reply to STARTTLS",
    relay: at("starttls", { pieces: ["220 2.0.0 Ready\r\n250-evil\r\n250 SIZE 1\r\n"] }, ["STARTTLS"]),
    options: startTls,
    ended: accepted,
    finalized: 1
  }
]

const logins: ReadonlyArray<Row> = [
  {
    fault: "no AUTH",
    relay: {},
    options: { ...auth, tls: "opportunistic" },
    ended: "Unavailable: The relay and the transport have no common way to log in."
  },
  {
    fault: "535 to AUTH PLAIN",
    relay: at("auth", { reply: "535 5.7.8 Wrong" }, ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: "Refused at auth: 535 5.7.8 The relay refused the login."
  },
  {
    fault: "454 to AUTH LOGIN",
    relay: at("auth", { reply: "454 4.7.0 Later" }, ["AUTH LOGIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: "Refused at auth: 454 4.7.0 The relay refused the login."
  },
  ...["AUTH PLAIN", "AUTH LOGIN"].map((keyword) => ({
    fault: `334 to every line of ${keyword}`,
    relay: {
      keywords: [keyword],
      act: (step: Step, { commands }: Session): Act | undefined => {
        if (step !== "auth") return undefined
        return commands.length > 50 ? "drop" : { reply: "334 " }
      }
    },
    options: { ...auth, tls: "opportunistic" } as const,
    ended: notSmtp
  })),
  {
    fault: "a closed connection at AUTH",
    relay: at("auth", "drop", ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: closed
  },
  {
    fault: "silence at AUTH",
    relay: at("auth", "silence", ["AUTH PLAIN"]),
    options: { ...auth, ...quick, tls: "opportunistic" },
    ended: silent
  },
  {
    fault: "garbage at AUTH",
    relay: at("auth", { reply: "what" }, ["AUTH PLAIN"]),
    options: { ...auth, tls: "opportunistic" },
    ended: notSmtp
  }
]

describe("a hand-off to a faulty relay", () => {
  it.each([...encryption, ...logins])("ends as expected, and leaves the transport usable, after $fault", endsAsExpected)
})
