/**
 * The state of a connection, and what each command means in this state. This file has no clock, no socket and no effect.
 * Source: RFC 5321 §4.1.4 (order of commands); RFC 2033 §4 (LMTP); RFC 3207 §4.2; RFC 4954 §4.
 */
import type { Command, Path } from "./command.ts"
import { parseCommand } from "./command.ts"
import type { Credentials } from "./credentials.ts"
import { decodeResponse, parsePlain } from "./credentials.ts"
import type { Reply, ReplyName } from "./Reply.ts"
import { protocolReply } from "./Reply.ts"

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

/** Counts a refusal. Closes the connection after too many. */
const answer = (rules: SessionRules, session: Session, reply: Reply): SessionStep => {
  if (reply.code < 500) return { session, action: { _tag: "Reply", reply } }
  const counted = { ...session, errors: session.errors + 1 }
  const tooMany = counted.errors > rules.errorsMax
  return { session: counted, action: { _tag: "Reply", reply: tooMany ? protocolReply("tooManyErrors") : reply } }
}

const named = (rules: SessionRules, session: Session, name: ReplyName) => answer(rules, session, protocolReply(name))

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

const respond = (rules: SessionRules, session: Session, exchange: Exchange, response: string): SessionStep => {
  const ended = { ...session, exchange: null }
  if (response === "*") return named(rules, ended, "canceled")
  const text = decodeResponse(response)
  if (text === undefined) return named(rules, ended, "badBase64")
  switch (exchange._tag) {
    case "Plain": {
      const credentials = parsePlain(text)
      return credentials === undefined ? named(rules, ended, "badBase64") : checkApiKey(ended, credentials)
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
  if (!rules.needsApiKey) return named(rules, session, "notImplemented")
  if (session.greeted !== "EHLO" || session.authenticated || session.transaction !== null)
    return named(rules, session, "badSequence")
  if (!mayAuthenticate(rules, session)) return named(rules, session, "encryptionRequired")
  if (mechanism !== "PLAIN" && mechanism !== "LOGIN") return named(rules, session, "unknownMechanism")
  const exchange: Exchange = { _tag: mechanism === "PLAIN" ? "Plain" : "LoginUser" }
  if (initialResponse !== null) return respond(rules, session, exchange, initialResponse)
  return challenge(session, exchange, mechanism === "PLAIN" ? "" : "Username:")
}

const hello = (rules: SessionRules, session: Session, verb: "HELO" | "EHLO" | "LHLO"): SessionStep => {
  // Source: RFC 2033 §4.1. An LMTP server knows only `LHLO`, and an SMTP server only the others.
  if ((verb === "LHLO") !== (rules.protocol === "lmtp")) return named(rules, session, "unknownCommand")
  const greeted = verb === "HELO" ? "HELO" : "EHLO"
  return {
    session: { ...session, greeted, transaction: null },
    action: { _tag: "Reply", reply: helloReply(rules, session, greeted === "EHLO") }
  }
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

const mail = (
  rules: SessionRules,
  session: Session,
  { sender, parameters: { size, utf8 } }: Extract<Command, { readonly _tag: "Mail" }>
): SessionStep => {
  if (session.greeted === "no" || session.transaction !== null) return named(rules, session, "badSequence")
  if (rules.needsApiKey && !session.authenticated)
    return named(rules, session, mayAuthenticate(rules, session) ? "authenticationRequired" : "tlsRequired")
  if (size !== null && size > rules.messageBytesMax) return named(rules, session, "tooLarge")
  if (!utf8 && !isAscii(sender)) return named(rules, session, "unicodeNotAnnounced")
  return { session, action: { _tag: "CheckSender", transaction: { sender, utf8, recipients: [] } } }
}

const rcpt = (rules: SessionRules, session: Session, recipient: Path): SessionStep => {
  const { transaction } = session
  if (transaction === null) return named(rules, session, "badSequence")
  if (transaction.recipients.length >= rules.recipientsMax) return named(rules, session, "tooManyRecipients")
  if (!transaction.utf8 && !isAscii(recipient)) return named(rules, session, "unicodeNotAnnounced")
  return { session, action: { _tag: "CheckRecipient", recipient } }
}

const data = (rules: SessionRules, session: Session): SessionStep => {
  const { transaction } = session
  const refused = { ...session, dataRefused: true }
  if (transaction === null) return named(rules, refused, "badSequence")
  return transaction.recipients.length === 0
    ? named(rules, refused, "noRecipients")
    : { session, action: { _tag: "CheckData", transaction } }
}

const startTls = (rules: SessionRules, session: Session): SessionStep => {
  if (!rules.offersTls) return named(rules, session, "notImplemented")
  if (session.secure || session.greeted !== "EHLO") return named(rules, session, "badSequence")
  return { session, action: { _tag: "StartTls" } }
}

const perform = (rules: SessionRules, session: Session, command: Command): SessionStep => {
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
      return named(rules, { ...session, transaction: null }, "ok")
    case "Noop":
      return named(rules, session, "ok")
    case "Help":
      return named(rules, session, "help")
    case "Vrfy":
      return named(rules, session, "cannotVerify")
    case "Quit":
      return named(rules, session, "goodbye")
    case "Invalid":
      return named(rules, session, command.reply)
  }
}

/** Returns what a line of the client means. `null` is a line that is not text. */
export const stepSession = (rules: SessionRules, before: Session, line: string | null): SessionStep => {
  const session = { ...before, dataRefused: false, commands: before.commands + 1 }
  if (session.commands > rules.commandsMax) return named(rules, session, "tooManyCommands")
  if (line === null)
    return named(rules, { ...session, exchange: null }, before.dataRefused ? "dataWithoutConsent" : "notText")
  if (session.exchange !== null) return respond(rules, session, session.exchange, line)
  const command = parseCommand(line)
  if (before.dataRefused && command._tag === "Invalid") return named(rules, session, "dataWithoutConsent")
  // Only a client that has not yet spoken SMTP is taken for a web browser.
  return command._tag === "Invalid" && command.reply === "notSmtp" && session.greeted !== "no"
    ? named(rules, session, "unknownCommand")
    : perform(rules, session, command)
}

/** The result of a check: `null` if it accepts, otherwise the reply that refuses. */
export type Refusal = Reply | null

/** The step after the check of an API key. */
export const afterApiKey = (rules: SessionRules, session: Session, refusal: Refusal): SessionStep => {
  if (refusal === null)
    return named(rules, { ...session, authenticated: true, apiKeyFailures: 0, errors: 0 }, "authenticated")
  if (refusal.code < 500) return answer(rules, session, refusal)
  const failed = { ...session, apiKeyFailures: session.apiKeyFailures + 1 }
  return failed.apiKeyFailures >= rules.apiKeyFailuresMax
    ? named(rules, failed, "tooManyErrors")
    : answer(rules, failed, refusal)
}

/** The step after the check of a sender. */
export const afterSender = (
  rules: SessionRules,
  session: Session,
  transaction: Transaction,
  refusal: Refusal
): SessionStep =>
  refusal === null ? named(rules, { ...session, transaction }, "senderOk") : answer(rules, session, refusal)

/** The step after the check of a recipient. */
export const afterRecipient = (
  rules: SessionRules,
  session: Session,
  recipient: Path,
  refusal: Refusal
): SessionStep => {
  const { transaction } = session
  if (refusal !== null || transaction === null) return answer(rules, session, refusal ?? protocolReply("badSequence"))
  const recipients = [...transaction.recipients, recipient]
  return named(rules, { ...session, transaction: { ...transaction, recipients } }, "recipientOk")
}

/** The step after the check before a message has refused it. */
export const afterRefusedData = (rules: SessionRules, session: Session, refusal: Reply): SessionStep =>
  answer(rules, { ...session, transaction: null, dataRefused: true }, refusal)

/** The state after the replies to a message. The transaction has ended, whether the message was accepted or not. */
export const afterMessage = (session: Session, replies: ReadonlyArray<Reply>): Session => {
  const refused = replies.some(({ code }) => code >= 500)
  const accepted = replies.some(({ code }) => code < 400)
  return { ...session, transaction: null, errors: accepted ? 0 : session.errors + (refused ? 1 : 0) }
}
