/**
 * The limits of a listener on connections, commands, messages and time.
 */

/** The limits of a listener. */
export interface ListenerLimits {
  /**
   * Connections in all; default 200. A new connection above it gets the place of the one that has given no valid API key and no message for the longest
   * time, at least 10 s. Only a connection that waits for a command loses its place. Without such a connection, the new one is refused.
   */
  readonly connectionsMax: number
  /** Connections of one remote address; default 20. A network of 64 bits counts as one IPv6 address. */
  readonly connectionsPerAddressMax: number
  /**
   * Bytes of one message. Default 25 MiB for submission, and 64 MiB for bounces: a bounce may contain the whole message that it is about. Of a
   * larger bounce than 10 MiB, the bytes after the first 10 MiB are discarded as they arrive.
   */
  readonly messageBytesMax: number
  /**
   * Bytes in memory of all messages that are being received or handled, without the first 16 KiB of each. One remote address gets at most half. Default
   * 128 MiB for submission, 64 MiB for bounces.
   */
  readonly bufferedBytesMax: number
  /** Recipients of one transaction. Default 50 for submission, 100 for bounces. */
  readonly recipientsMax: number
  /** Commands of one connection; default 10,000. */
  readonly commandsMax: number
  /** Refused commands of one connection since its last accepted message; default 20. */
  readonly errorsMax: number
  /** Refused API keys of one connection; default 3. */
  readonly apiKeyFailuresMax: number
  /** How long a client may take for a command; default 5 minutes. Source: RFC 5321 §4.5.3.2.7. */
  readonly commandMillis: number
  /** How long a client may take from the connection to a valid API key; default 1 minute. */
  readonly apiKeyMillis: number
  /** How long a message may make no progress; default 1 minute. */
  readonly stallMillis: number
  /** How long a client may take for a whole message; default 10 minutes. */
  readonly dataMillis: number
  /** How long the TLS handshake may take; default 10 s. */
  readonly tlsMillis: number
  /** How long a client may take to read a reply; default 30 s. */
  readonly writeMillis: number
  /** How long a connection may last. A message that is being received is still answered. Default 1 hour for submission, 15 minutes for bounces. */
  readonly connectionMillis: number
  /** How long a stopped listener waits for messages that are being received or handled; default 10 s. */
  readonly graceMillis: number
}

const mib = 1024 * 1024

const sharedLimits = {
  connectionsMax: 200,
  connectionsPerAddressMax: 20,
  commandsMax: 10_000,
  errorsMax: 20,
  apiKeyFailuresMax: 3,
  commandMillis: 300_000,
  apiKeyMillis: 60_000,
  stallMillis: 60_000,
  dataMillis: 600_000,
  tlsMillis: 10_000,
  writeMillis: 30_000,
  connectionMillis: 3_600_000,
  graceMillis: 10_000
}

/** The limits of a listener for submission. */
export const submissionLimits: ListenerLimits = {
  ...sharedLimits,
  messageBytesMax: 25 * mib,
  bufferedBytesMax: 128 * mib,
  recipientsMax: 50
}

/** The limits of a listener for bounces. */
export const bounceLimits: ListenerLimits = {
  ...sharedLimits,
  // The largest message with files of the default plan has 45 MiB when it is encoded. Relays add a report, and may encode texts again.
  messageBytesMax: 64 * mib,
  bufferedBytesMax: 64 * mib,
  recipientsMax: 100,
  connectionMillis: 900_000
}
