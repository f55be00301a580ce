/**
 * The replies that the protocol itself gives, as a table.
 */
import { authenticationReplies } from "./authenticationReplies.ts"
import type { Reply, ReplyRow } from "./Reply.ts"
import { toReply } from "./Reply.ts"

/** Every reply that the protocol itself gives. The handler of the listener has the replies to a message, and the refusals of an API key. */
export const protocolReplies = {
  ...authenticationReplies,
  ok: { code: 250, enhancedCode: "2.0.0", text: "Ok", occurs: "`NOOP` or `RSET`.", source: "RFC 5321 §4.1.1" },
  senderOk: {
    code: 250,
    enhancedCode: "2.1.0",
    text: "Ok",
    occurs: "`MAIL` is accepted.",
    source: "RFC 5321 §4.1.1.2; RFC 3463 §3.2"
  },
  recipientOk: {
    code: 250,
    enhancedCode: "2.1.5",
    text: "Ok",
    occurs: "`RCPT` is accepted.",
    source: "RFC 5321 §4.1.1.3; RFC 3463 §3.2"
  },
  goodbye: {
    code: 221,
    enhancedCode: "2.0.0",
    text: "Closing the connection",
    occurs: "`QUIT`.",
    source: "RFC 5321 §4.1.1.10",
    closes: true
  },
  cannotVerify: {
    code: 252,
    enhancedCode: "2.0.0",
    text: "Send mail to find out",
    occurs: "`VRFY`. The server does not show which addresses exist.",
    source: "RFC 5321 §3.5.3"
  },
  help: {
    code: 214,
    enhancedCode: "2.0.0",
    text: "See RFC 5321",
    occurs: "`HELP`.",
    source: "RFC 5321 §4.1.1.8"
  },
  sendData: {
    code: 354,
    enhancedCode: null,
    text: "End the message with <CRLF>.<CRLF>",
    occurs: "`DATA` is accepted.",
    source: "RFC 5321 §4.1.1.4"
  },
  shuttingDown: {
    code: 421,
    enhancedCode: "4.3.2",
    text: "The server is shutting down",
    occurs: "The server stops. A message that is being received is still answered.",
    source: "RFC 5321 §3.8; RFC 3463 §3.4",
    closes: true
  },
  tooManyConnections: {
    code: 421,
    enhancedCode: "4.3.2",
    text: "Too many connections, try again later",
    occurs: "The server, or the address of the client, has its maximum number of connections.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.4",
    closes: true
  },
  timeout: {
    code: 421,
    enhancedCode: "4.4.2",
    text: "Timeout, closing the connection",
    occurs: "The client takes too long for a command, a message, `AUTH` or the whole connection.",
    source: "RFC 5321 §4.5.3.2; RFC 3463 §3.5",
    closes: true
  },
  tooManyCommands: {
    code: 421,
    enhancedCode: "4.7.0",
    text: "Too many commands, open another connection",
    occurs: "The connection has its maximum number of commands.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.8",
    closes: true
  },
  tooManyErrors: {
    code: 421,
    enhancedCode: "4.7.0",
    text: "Too many errors",
    occurs: "The connection has its maximum number of refused commands or of refused API keys.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.8",
    closes: true
  },
  noMemory: {
    code: 452,
    enhancedCode: "4.3.1",
    text: "Too many messages are being received, try again later",
    occurs: "The messages that are being received use all the memory that they may use.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.4"
  },
  tooManyRecipients: {
    code: 452,
    enhancedCode: "4.5.3",
    text: "Too many recipients, send the others in another transaction",
    occurs: "`RCPT` after the maximum number of recipients.",
    source: "RFC 5321 §4.5.3.1.10; RFC 3463 §3.6"
  },
  internalError: {
    code: 451,
    enhancedCode: "4.3.0",
    text: "Something went wrong here, try again later",
    occurs: "A bug of the server. The log has its place in the code.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.4"
  },
  lineTooLong: {
    code: 500,
    enhancedCode: "5.5.2",
    text: "Line too long",
    occurs: "A command of more than 12,288 bytes.",
    source: "RFC 5321 §4.5.3.1.4; RFC 4954 §4",
    closes: true
  },
  bareLineEnd: {
    code: 500,
    enhancedCode: "5.5.2",
    text: "A line must end with <CRLF>",
    occurs: "A command with a CR or LF of its own.",
    source: "RFC 5321 §2.3.8",
    closes: true
  },
  notText: {
    code: 500,
    enhancedCode: "5.5.2",
    text: "The line has a control character or is not UTF-8",
    occurs: "A command with a control character, or with bytes that are not UTF-8.",
    source: "RFC 5321 §4.1.2; RFC 6531 §3.3"
  },
  notSmtp: {
    code: 500,
    enhancedCode: "5.5.1",
    text: "This is an SMTP server",
    occurs: "The first command is an HTTP request, such as one that a web page makes.",
    source: "RFC 5321 §7.8",
    closes: true
  },
  unknownCommand: {
    code: 500,
    enhancedCode: "5.5.1",
    text: "Unknown command",
    occurs: "A command that SMTP does not have.",
    source: "RFC 5321 §4.2.4; RFC 3463 §3.6"
  },
  badSyntax: {
    code: 501,
    enhancedCode: "5.5.4",
    text: "Wrong argument",
    occurs: "A command with a missing, malformed or repeated argument.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.6"
  },
  badSender: {
    code: 501,
    enhancedCode: "5.1.7",
    text: "The sender must be <address> or <>",
    occurs: "`MAIL` with a malformed address.",
    source: "RFC 5321 §4.1.1.2; RFC 3463 §3.2"
  },
  badRecipient: {
    code: 501,
    enhancedCode: "5.1.3",
    text: "The recipient must be <address>",
    occurs: "`RCPT` with a malformed path.",
    source: "RFC 5321 §4.1.1.3; RFC 3463 §3.2"
  },
  notImplemented: {
    code: 502,
    enhancedCode: "5.5.1",
    text: "Command not implemented",
    occurs: "`EXPN`, `TURN`, `ETRN`, `BDAT`, or a command that this listener does not offer.",
    source: "RFC 5321 §4.2.4; RFC 3463 §3.6"
  },
  badSequence: {
    code: 503,
    enhancedCode: "5.5.1",
    text: "Wrong order of commands",
    occurs: "A command before the command that it needs, or `MAIL` or `AUTH` for the second time.",
    source: "RFC 5321 §4.1.4; RFC 4954 §4"
  },
  noRecipients: {
    code: 554,
    enhancedCode: "5.5.1",
    text: "No valid recipients",
    occurs: "`DATA` when no recipient was accepted. LMTP has 503 for this.",
    source: "RFC 5321 §3.3; RFC 2033 §4.2"
  },
  dataWithoutConsent: {
    code: 503,
    enhancedCode: "5.5.1",
    text: "DATA was refused, so no message may follow",
    occurs: "The client sends a message although `DATA` was refused. None of its lines is read as a command.",
    source: "RFC 2920 §3.1",
    closes: true
  },
  tooLarge: {
    code: 552,
    enhancedCode: "5.3.4",
    text: "The message is too large",
    occurs: "The size in `MAIL`, or the message itself, exceeds the maximum that `EHLO` announces.",
    source: "RFC 1870 §6; RFC 3463 §3.4"
  },
  brokenMessage: {
    code: 554,
    enhancedCode: "5.6.0",
    text: "The message has a CR, LF or NUL of its own: each line must end with <CRLF>",
    occurs: "A message with a bare CR, a bare LF or a NUL.",
    source: "RFC 5321 §2.3.8 and §4.1.1.4; RFC 5322 §2.3",
    closes: true
  },
  unicodeNotAnnounced: {
    code: 553,
    enhancedCode: "5.6.7",
    text: "A non-ASCII address needs SMTPUTF8 in MAIL",
    occurs: "A non-ASCII address in a transaction without `SMTPUTF8`.",
    source: "RFC 6531 §3.5"
  },
  unknownParameter: {
    code: 555,
    enhancedCode: "5.5.4",
    text: "Unknown parameter",
    occurs: "`MAIL` or `RCPT` with a parameter that `EHLO` does not announce.",
    source: "RFC 5321 §4.1.1.11"
  }
} as const satisfies Readonly<Record<string, ReplyRow>>

/** The name of a reply of the protocol. */
export type ReplyName = keyof typeof protocolReplies

/** Returns a reply of the protocol. */
export const protocolReply = (name: ReplyName): Reply => toReply(protocolReplies[name])
