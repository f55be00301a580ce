/**
 * Says what an operator does when the driver cannot connect. Never quotes values, users or passwords.
 */
import { codeOf, connectionLimitSentence, connectTimeouts, isOfConnecting, isOfPassword } from "./sqlStates.ts"

/** The server did not answer, to a new connection or to a statement. */
export const silentSentence =
  "The server did not answer in time. Check the host and the port, and whether a firewall drops the connection"

const noPasswordSentence =
  "PostgreSQL asks for a password, and the URL or the pool has none, or the function `password` of the pool returned none"

/** A pooler gives this code to each of its own failures. */
export const poolerSentence =
  "A pooler such as pgbouncer refused the connection, and its log says why: for example, more clients than `max_client_conn`, an unknown database, or a server that it cannot reach"

const noDescriptorSentence =
  "This process has no file descriptor left. Raise its limit, such as `LimitNOFILE` of systemd or `ulimit -n` of a shell"

const ofCodes: Readonly<Record<string, string>> = {
  "08P01": poolerSentence,
  "28P01": "PostgreSQL refused the user or the password",
  "28000": "PostgreSQL refused the user, or a connection of this kind: it may need TLS (`sslmode`)",
  "3D000": "The database does not exist",
  "42501": "The role may not connect to this database. Grant it the right CONNECT",
  "53300": connectionLimitSentence,
  "57P03": "PostgreSQL starts, stops or recovers, or is a standby that accepts no connections. Try again",
  ECONNREFUSED: "Nothing accepts connections at this address",
  ETIMEDOUT: silentSentence,
  EMFILE: noDescriptorSentence,
  ENOTFOUND: "The name of the host is unknown",
  EAI_AGAIN: "The name of the host could not be looked up, because no DNS server answered",
  ENOENT: "A file that the URL names does not exist, such as that of `sslrootcert`",
  CERT_HAS_EXPIRED: "The certificate of the server has expired. Renew it",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the server is for another host name than the one in the URL",
  ...Object.fromEntries(
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
    ].map((code) => [code, "The certificate of the server is not trusted. Name its authority with `sslrootcert`"])
  )
}

/** Failures of the driver that have no code. */
const ofMessages: Readonly<Record<string, string>> = {
  "The server does not support SSL connections":
    "The server offers no TLS. Turn on `ssl` at the server, or remove `sslmode` from the URL",
  ...Object.fromEntries([...connectTimeouts].map((message) => [message, silentSentence])),
  ...Object.fromEntries(
    [
      "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string",
      "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string"
    ].map((message) => [message, noPasswordSentence])
  ),
  "Password must be a string": "The function `password` of the pool returned no text",
  "Connection terminated unexpectedly":
    "The connection was closed before the server answered. Check that PostgreSQL or its pooler is at this address, and its log"
}

/** Returns a sentence without a full stop; `undefined` for another failure than one to connect, and for one without a sentence. */
export const connectingSentenceOf = (cause: unknown): string | undefined => {
  if (!isOfConnecting(cause)) return undefined
  if (isOfPassword(cause)) return "The function `password` of the pool failed"
  const code = codeOf(cause)
  return code === undefined ? ofMessages[cause.message] : ofCodes[code]
}
