/**
 * Turns the errors of nodemailer into replies of the relay, or into the reason why there is no reply.
 *
 * The text of an error of nodemailer may contain an address. It never leaves this file; only codes of the system do.
 */
import type { RelaySetting, SmtpReply, SmtpStage } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Data } from "effect"

/** The relay answered with a refusal. */
export class RelayRefused extends Data.TaggedError("RelayRefused")<{
  /** The refusal, with its stage. */
  readonly reply: SmtpReply
}> {
  override get message() {
    const { stage, smtpCode: code, enhancedCode } = this.reply
    return `The relay refused at the stage ${stage}: ${[code, enhancedCode].filter((part) => part !== null).join(" ")}.`
  }

  /** Only a temporary refusal. */
  get isRetryable() {
    return this.reply.smtpCode !== null && this.reply.smtpCode < 500
  }
}

/** The fields of an error of nodemailer that this package reads. */
export interface RelayError {
  readonly code?: string | undefined
  readonly command?: string | undefined
  readonly response?: string | undefined
  readonly timeoutType?: string | undefined
  readonly originalCode?: string | undefined
}

const textCharactersMax = 1000

/** Only the first part of a long reply is read. */
const responseCharactersMax = 16_384

const enhancedForm = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/

/**
 * Reads a reply, whose lines are separated by `\n` (RFC 5321 §4.2.1, RFC 3463 §2). Joins the lines and removes the codes and the control
 * characters. Returns `undefined` when the first line does not begin with a reply code.
 */
export const parseReply = (stage: SmtpStage, response: string): SmtpReply | undefined => {
  const read = response.slice(0, responseCharactersMax)
  const code = /^([2-5]\d\d)(?![^\s-])/.exec(read)?.[1]
  if (code === undefined) return undefined
  const lines = read.split("\n").map((line) => line.replace(/^\d{3}(?:[ -]|(?=\s|$))/, "").trim())
  const enhancedCode = enhancedForm.exec(lines[0]!)?.[1] ?? null
  const text = lines
    .map((line) => line.replace(enhancedForm, ""))
    .join(" ")
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim()
    .slice(0, textCharactersMax)
  return { stage, smtpCode: Number(code), enhancedCode, text }
}

/** The stage that a command of nodemailer belongs to. */
const stages: Readonly<Record<string, SmtpStage>> = {
  EHLO: "greeting",
  HELO: "greeting",
  LHLO: "greeting",
  "MAIL FROM": "mail",
  "RCPT TO": "rcpt",
  DATA: "data"
}

const timeouts: Readonly<Record<string, string>> = {
  CONNECT_TIMEOUT: "The relay took too long to connect.",
  GREETING_TIMEOUT: "The relay sent no greeting in time.",
  UPGRADE_TIMEOUT: "The relay did not begin the encryption in time.",
  SOCKET_TIMEOUT: "The relay did not answer in time."
}

/** A code of the system or of TLS, such as `ECONNREFUSED`, in parentheses. */
const systemCode = ({ originalCode }: RelayError): string =>
  originalCode !== undefined && /^[A-Z][A-Z0-9_]{1,60}$/.test(originalCode) ? ` (${originalCode})` : ""

const certificateCodes =
  /CERT|SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|ERR_TLS_CERT_ALTNAME_INVALID|INVALID_CA|HOSTNAME_MISMATCH/

/** The code of Node when its permission model forbids a call. */
const accessDenied = "ERR_ACCESS_DENIED"

const reasonOf = (error: RelayError): string => {
  const code = systemCode(error)
  if (certificateCodes.test(code)) return `The certificate of the relay is not accepted${code}.`
  if (error.code === accessDenied || error.originalCode === accessDenied)
    return "The process may not connect to the relay. With node --permission, add --allow-net."
  switch (error.code) {
    case "ETIMEDOUT":
      return timeouts[error.timeoutType ?? ""] ?? "The relay did not answer in time."
    case "EDNS":
      return `The name of the relay was not found${code}.`
    case "ETLS":
      return `The relay did not encrypt the connection${code}.`
    case "ESOCKET":
      return `The connection to the relay failed${code}.`
    case "EPROTOCOL":
    case "EENVELOPE":
    case "EMESSAGE":
      return "The relay sent an answer that does not follow SMTP."
    case "ESTREAM":
      return "The message could not be read."
    case "EAUTH":
      return "The relay and the transport have no common way to log in."
    default:
      return "The relay closed the connection."
  }
}

/** The setting that the error shows to be wrong. A code of OpenSSL means that the two sides cannot agree on TLS, for example that one speaks plain text. */
const wrongSettingOfError = (error: RelayError): RelaySetting | undefined => {
  const code = systemCode(error)
  if (certificateCodes.test(code)) return "certificate"
  if (error.code === "EAUTH") return "login"
  return /ERR_SSL_/.test(code) ? "encryption" : undefined
}

/** There is no answer, for the reason and with the wrong setting that are given. */
export const unavailable = (reason: string, wrongSetting?: RelaySetting): TransportUnavailable =>
  new TransportUnavailable({ reason, ...(wrongSetting !== undefined && { wrongSetting }) })

/** There is no answer, for the reason that the error gives. */
export const unavailableBecause = (error: RelayError): TransportUnavailable =>
  error.code === "ESTREAM"
    ? new TransportUnavailable({ reason: reasonOf(error), relayFault: false })
    : unavailable(reasonOf(error), wrongSettingOfError(error))

/** Replaces the text of a refused login, because some relays repeat the command, which has the credentials. */
const loginRefused = "The relay refused the login."

/**
 * The failure that an error of nodemailer means, at that stage of the dialogue. An error with a refusal of the relay is a `RelayRefused`. Every
 * other error means that there is no answer.
 */
export const failureOf = (error: RelayError, stage: SmtpStage): RelayRefused | TransportUnavailable => {
  const { command = "", response } = error
  if (response === undefined) return unavailableBecause(error)
  const reply = parseReply(stage === "mail" ? (stages[command] ?? stage) : stage, response)
  if (reply === undefined || reply.smtpCode === null || reply.smtpCode < 400)
    return unavailableBecause({ code: "EPROTOCOL" })
  if (command === "STARTTLS")
    return unavailable(
      `The relay does not encrypt the connection: it answered STARTTLS with ${reply.smtpCode}.`,
      reply.smtpCode < 500 ? undefined : "encryption"
    )
  // Outside of a command and of the greeting, only 421 is an answer: the relay closes the connection (RFC 5321 §3.8).
  if (command === "CONN" && stage !== "greeting" && reply.smtpCode !== 421)
    return unavailableBecause({ code: "EPROTOCOL" })
  return new RelayRefused({ reply: stage === "auth" ? { ...reply, text: loginRefused } : reply })
}
