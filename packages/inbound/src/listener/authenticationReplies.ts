/**
 * The replies of `STARTTLS` and `AUTH`, as a table, without the refusals of an API key.
 */
import type { ReplyRow } from "./Reply.ts"

export const authenticationReplies = {
  readyForTls: {
    code: 220,
    enhancedCode: "2.0.0",
    text: "Ready to start TLS",
    occurs: "`STARTTLS`.",
    source: "RFC 3207 §4"
  },
  authenticated: {
    code: 235,
    enhancedCode: "2.7.0",
    text: "Authentication succeeded",
    occurs: "The API key is valid.",
    source: "RFC 4954 §6"
  },
  badBase64: {
    code: 501,
    enhancedCode: "5.5.2",
    text: "The response is not base64",
    occurs: "A malformed response during `AUTH`.",
    source: "RFC 4954 §4"
  },
  badPlain: {
    code: 501,
    enhancedCode: "5.5.2",
    text: "PLAIN takes NUL user NUL password, and no other identity to act as",
    occurs: "`AUTH PLAIN` without a user and a password, or with another identity to act as.",
    source: "RFC 4616 §2"
  },
  canceled: {
    code: 501,
    enhancedCode: "5.7.0",
    text: "Authentication canceled",
    occurs: "The client cancels `AUTH` with `*`.",
    source: "RFC 4954 §4"
  },
  unknownMechanism: {
    code: 504,
    enhancedCode: "5.5.4",
    text: "Unknown mechanism, use PLAIN or LOGIN",
    occurs: "`AUTH` with another mechanism.",
    source: "RFC 4954 §4"
  },
  authenticationRequired: {
    code: 530,
    enhancedCode: "5.7.0",
    text: "Authentication required",
    occurs: "A command that needs `AUTH` before it.",
    source: "RFC 4954 §6"
  },
  tlsRequired: {
    code: 530,
    enhancedCode: "5.7.0",
    text: "Must issue a STARTTLS command first",
    occurs: "A command that needs `AUTH`, on a connection without TLS from another machine.",
    source: "RFC 3207 §4"
  },
  encryptionRequired: {
    code: 538,
    enhancedCode: "5.7.11",
    text: "Encryption required for authentication, use STARTTLS",
    occurs: "`AUTH` on a connection without TLS from another machine.",
    source: "RFC 4954 §6"
  },
  injectedBeforeTls: {
    code: 554,
    enhancedCode: "5.7.0",
    text: "Nothing may follow STARTTLS before TLS",
    occurs: "The client sends more bytes after `STARTTLS` before the reply.",
    source: "RFC 3207 §4 and §6",
    closes: true
  }
} as const satisfies Readonly<Record<string, ReplyRow>>
