/**
 * The state of a connection, and what each command means in this state. This file has no clock, no socket and no effect.
 * Source: RFC 5321 §4.1.4 (order of commands); RFC 2033 §4 (LMTP); RFC 3207 §4.2; RFC 4954 §4.
 */
import { isAscii } from "@mailkeep/core/binding"
import type { Command, Path } from "./command.ts"
import { parseCommand } from "./command.ts"
import type { Credentials } from "./credentials.ts"
import { decodeResponse, parsePlain } from "./credentials.ts"
import type { Reply } from "./Reply.ts"
import type { ReplyName } from "./protocolReplies.ts"
import { protocolReply } from "./protocolReplies.ts"

/** What a listener offers and how much it allows. */
export interface SessionRules {
  readonly protocol: "smtp" | "lmtp"
  /** The name of the server in the greeting and in the reply to `EHLO`. */
  readonly hostName: string
  readonly messageBytesMax: number
  readonly recipientsMax: number
  readonly commandsMax: number
  readonly errorsMax: number
  readonly apiKeyFailuresMax: number
  readonly offersTls: boolean
  /** Whether a client must authenticate before `MAIL`. */
  readonly needsApiKey: boolean
  /** Whether this client may authenticate without TLS. */
  readonly allowsClearApiKey: boolean
}

/** A sender and the recipients that were accepted so far. */
export interface Transaction {
  readonly sender: Path
  readonly utf8: boolean
  /** One entry for each accepted `RCPT`, in order. */
  readonly recipients: ReadonlyArray<Path>
}

/** The exchange of `AUTH` that waits for a response of the client. */
type Exchange =
  | { readonly _tag: "Plain" }
  | { readonly _tag: "LoginUser" }
  | { readonly _tag: "LoginPassword"; readonly user: string }

/** The state of a connection between two commands. */
export interface Session {
  readonly greeted: "no" | "HELO" | "EHLO"
  readonly secure: boolean
  readonly authenticated: boolean
  readonly exchange: Exchange | null
  readonly transaction: Transaction | null
  /** Whether the last command was `DATA` and was refused. A client that sends its message anyway must not have its lines read as commands. */
  readonly dataRefused: boolean
  readonly commands: number
  /** Refused commands since the last accepted message. */
  readonly errors: number
  readonly apiKeyFailures: number
}

/** What the server does next. After a check, call the matching function below with its result. */
export type Action =
  | { readonly _tag: "Reply"; readonly reply: Reply }
  | { readonly _tag: "StartTls" }
  | { readonly _tag: "CheckApiKey"; readonly credentials: Credentials }
  | { readonly _tag: "CheckSender"; readonly transaction: Transaction }
  | { readonly _tag: "CheckRecipient"; readonly recipient: Path }
  | { readonly _tag: "CheckData"; readonly transaction: Transaction }

/** An action and the state after the command. */
export interface SessionStep {
  readonly session: Session
  readonly action: Action
}

/** The state after the connection is made or after `STARTTLS`. The counts of an earlier state continue. Source: RFC 3207 §4.2. */
export const freshSession = (
  secure: boolean,
  { commands, errors, apiKeyFailures }: Pick<Session, "commands" | "errors" | "apiKeyFailures"> = {
    commands: 0,
    errors: 0,
    apiKeyFailures: 0
  }
): Session => ({
  greeted: "no",
  secure,
  authenticated: false,
  exchange: null,
  transaction: null,
  dataRefused: false,
  commands,
  errors,
  apiKeyFailures
})

/** Whether the greeting can have the name: a host name in ASCII, or an address. */
export const isGreetingName = (name: string): boolean => /^[\w.:[\]-]{1,255}$/.test(name)

/** The first line that the server writes. */
export const greeting = ({ hostName, protocol }: SessionRules): Reply => ({
  code: 220,
  enhancedCode: null,
  lines: [`${hostName} ${protocol === "lmtp" ? "LMTP" : "ESMTP"}`],
  closes: false
})

const mayAuthenticate = ({ needsApiKey, allowsClearApiKey }: SessionRules, { secure, authenticated }: Session) =>
  needsApiKey && !authenticated && (secure || allowsClearApiKey)

const helloReply = (rules: SessionRules, session: Session, extended: boolean): Reply => ({
  code: 250,
  enhancedCode: null,
  lines: extended
    ? [
        rules.hostName,
        "PIPELINING",
        `SIZE ${rules.messageBytesMax}`,
        "8BITMIME",
        "SMTPUTF8",
        "ENHANCEDSTATUSCODES",
        ...(rules.offersTls && !session.secure ? ["STARTTLS"] : []),
        ...(mayAuthenticate(rules, session) ? ["AUTH PLAIN LOGIN"] : [])
      ]
    : [rules.hostName],
  closes: false
})

/** The step that gives a reply. Counts a refusal, and closes the connection after too many. */
export const replyWith = (rules: SessionRules, session: Session, reply: Reply): SessionStep => {
  if (reply.code < 500) return { session, action: { _tag: "Reply", reply } }
  const counted = { ...session, errors: session.errors + 1 }
  const tooMany = counted.errors > rules.errorsMax
  return { session: counted, action: { _tag: "Reply", reply: tooMany ? protocolReply("tooManyErrors") : reply } }
}

/** The step that gives a reply of the protocol. */
export const replyNamed = (rules: SessionRules, session: Session, name: ReplyName) =>
  replyWith(rules, session, protocolReply(name))

const challenge = (session: Session, exchange: Exchange, text: string): SessionStep => ({
  session: { ...session, exchange },
  action: {
    _tag: "Reply",
    reply: { code: 334, enhancedCode: null, lines: [Buffer.from(text).toString("base64")], closes: false }
  }
})

const checkApiKey = (session: Session, credentials: Credentials): SessionStep => ({
  session: { ...session, exchange: null },
  action: { _tag: "CheckApiKey", credentials }
})

const stepExchange = (rules: SessionRules, session: Session, exchange: Exchange, response: string): SessionStep => {
  const ended = { ...session, exchange: null }
  if (response === "*") return replyNamed(rules, ended, "canceled")
  const text = decodeResponse(response)
  if (text === undefined) return replyNamed(rules, ended, "badBase64")
  switch (exchange._tag) {
    case "Plain": {
      const credentials = parsePlain(text)
      return credentials === undefined ? replyNamed(rules, ended, "badPlain") : checkApiKey(ended, credentials)
    }
    case "LoginUser":
      return challenge(ended, { _tag: "LoginPassword", user: text }, "Password:")
    case "LoginPassword":
      return checkApiKey(ended, { user: exchange.user, password: text })
  }
}

const authenticate = (
  rules: SessionRules,
  session: Session,
  { mechanism, initialResponse }: Extract<Command, { readonly _tag: "Auth" }>
): SessionStep => {
  if (!rules.needsApiKey) return replyNamed(rules, session, "notImplemented")
  if (session.greeted !== "EHLO" || session.authenticated || session.transaction !== null)
    return replyNamed(rules, session, "badSequence")
  if (!mayAuthenticate(rules, session)) return replyNamed(rules, session, "encryptionRequired")
  if (mechanism !== "PLAIN" && mechanism !== "LOGIN") return replyNamed(rules, session, "unknownMechanism")
  const exchange: Exchange = { _tag: mechanism === "PLAIN" ? "Plain" : "LoginUser" }
  if (initialResponse !== null) return stepExchange(rules, session, exchange, initialResponse)
  return challenge(session, exchange, mechanism === "PLAIN" ? "" : "Username:")
}

const hello = (rules: SessionRules, session: Session, verb: "HELO" | "EHLO" | "LHLO"): SessionStep => {
  // Source: RFC 2033 §4.1. An LMTP server knows only `LHLO`, and an SMTP server only the others.
  if ((verb === "LHLO") !== (rules.protocol === "lmtp")) return replyNamed(rules, session, "unknownCommand")
  const greeted = verb === "HELO" ? "HELO" : "EHLO"
  return {
    session: { ...session, greeted, transaction: null },
    action: { _tag: "Reply", reply: helloReply(rules, session, greeted === "EHLO") }
  }
}

const mail = (
  rules: SessionRules,
  session: Session,
  { sender, parameters: { size, utf8 } }: Extract<Command, { readonly _tag: "Mail" }>
): SessionStep => {
  if (session.greeted === "no" || session.transaction !== null) return replyNamed(rules, session, "badSequence")
  if (rules.needsApiKey && !session.authenticated)
    return replyNamed(rules, session, mayAuthenticate(rules, session) ? "authenticationRequired" : "tlsRequired")
  if (size !== null && size > rules.messageBytesMax) return replyNamed(rules, session, "tooLarge")
  if (!utf8 && !isAscii(sender)) return replyNamed(rules, session, "unicodeNotAnnounced")
  return { session, action: { _tag: "CheckSender", transaction: { sender, utf8, recipients: [] } } }
}

const rcpt = (rules: SessionRules, session: Session, recipient: Path): SessionStep => {
  const { transaction } = session
  if (transaction === null) return replyNamed(rules, session, "badSequence")
  if (transaction.recipients.length >= rules.recipientsMax) return replyNamed(rules, session, "tooManyRecipients")
  if (!transaction.utf8 && !isAscii(recipient)) return replyNamed(rules, session, "unicodeNotAnnounced")
  return { session, action: { _tag: "CheckRecipient", recipient } }
}

const data = (rules: SessionRules, session: Session): SessionStep => {
  const { transaction } = session
  const refused = { ...session, dataRefused: true }
  if (transaction === null) return replyNamed(rules, refused, "badSequence")
  // Source: RFC 2033 §4.2. An LMTP server must answer 503.
  const noRecipients = rules.protocol === "lmtp" ? "badSequence" : "noRecipients"
  return transaction.recipients.length === 0
    ? replyNamed(rules, refused, noRecipients)
    : { session, action: { _tag: "CheckData", transaction } }
}

const startTls = (rules: SessionRules, session: Session): SessionStep => {
  if (!rules.offersTls) return replyNamed(rules, session, "notImplemented")
  if (session.secure || session.greeted !== "EHLO") return replyNamed(rules, session, "badSequence")
  return { session, action: { _tag: "StartTls" } }
}

const stepCommand = (rules: SessionRules, session: Session, command: Command): SessionStep => {
  switch (command._tag) {
    case "Hello":
      return hello(rules, session, command.verb)
    case "Mail":
      return mail(rules, session, command)
    case "Rcpt":
      return rcpt(rules, session, command.recipient)
    case "Data":
      return data(rules, session)
    case "Auth":
      return authenticate(rules, session, command)
    case "StartTls":
      return startTls(rules, session)
    case "Rset":
      return replyNamed(rules, { ...session, transaction: null }, "ok")
    case "Noop":
      return replyNamed(rules, session, "ok")
    case "Help":
      return replyNamed(rules, session, "help")
    case "Vrfy":
      return replyNamed(rules, session, "cannotVerify")
    case "Quit":
      return replyNamed(rules, session, "goodbye")
    case "Invalid":
      return replyNamed(rules, session, command.reply)
  }
}

/** Returns what a line of the client means. `null` is a line that is not text. */
export const stepSession = (rules: SessionRules, before: Session, line: string | null): SessionStep => {
  const session = { ...before, dataRefused: false, commands: before.commands + 1 }
  if (session.commands > rules.commandsMax) return replyNamed(rules, session, "tooManyCommands")
  if (line === null)
    return replyNamed(rules, { ...session, exchange: null }, before.dataRefused ? "dataWithoutConsent" : "notText")
  if (session.exchange !== null) return stepExchange(rules, session, session.exchange, line)
  const command = parseCommand(line)
  if (before.dataRefused && command._tag === "Invalid") return replyNamed(rules, session, "dataWithoutConsent")
  // Only a client that has not yet spoken SMTP is taken for a web browser.
  return command._tag === "Invalid" && command.reply === "notSmtp" && session.greeted !== "no"
    ? replyNamed(rules, session, "unknownCommand")
    : stepCommand(rules, session, command)
}
