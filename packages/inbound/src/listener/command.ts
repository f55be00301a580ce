/**
 * Parses the commands of a client. Source: RFC 5321 §4.1.1; RFC 2033 §4.1; RFC 3207 §4; RFC 4954 §4.
 */
import type { ReplyName } from "./protocolReplies.ts"

/** An address as the client wrote it between `<` and `>`, without a source route. Empty for `<>`. */
export type Path = string

/** The parameters of `MAIL`. */
interface MailParameters {
  /** The size of the message that the client announces, in bytes; `null` if it announces none. */
  readonly size: number | null
  /** Whether the client announces non-ASCII addresses. */
  readonly utf8: boolean
}

/** A command, or the reply to a line that is not a command. */
export type Command =
  | { readonly _tag: "Hello"; readonly verb: "HELO" | "EHLO" | "LHLO" }
  | { readonly _tag: "Mail"; readonly sender: Path; readonly parameters: MailParameters }
  | { readonly _tag: "Rcpt"; readonly recipient: Path }
  | { readonly _tag: "Data" | "Rset" | "Noop" | "Quit" | "Help" | "Vrfy" | "StartTls" }
  | { readonly _tag: "Auth"; readonly mechanism: string; readonly initialResponse: string | null }
  | { readonly _tag: "Invalid"; readonly reply: ReplyName }

const invalid = (reply: ReplyName): Command => ({ _tag: "Invalid", reply })

/** In bytes, with `<` and `>`. Source: RFC 5321 §4.5.3.1.3. */
const pathBytesMax = 256

/** A domain, an address literal, or the name of a machine. */
const helloForm = /^(?:[^\s<>()@,;]{1,255})$/

/** A source route, which is accepted and ignored. Source: RFC 5321 §4.1.1.3. */
const sourceRoute = /^@[^\s,:@<>"]+(?:,@[^\s,:@<>"]+)*:/

/** A mailbox whose local part is an atom with dots or a quoted string. The domain may be a name or an address literal. */
const mailboxForm = /^(?:[^\s<>@"()\\,;:]+|"(?:[^"\\]|\\.)*")@(?:[^\s<>@"()\\,;:[\]]+|\[[^\s<>@"()\\[\]]+\])$/u

/** The index after the `>` that ends the path, or -1. A `>` in a quoted string does not end it. */
const endOfPath = (text: string): number => {
  let quoted = false
  for (let at = 1; at < text.length; at++) {
    const character = text[at]
    if (quoted && character === "\\") at++
    else if (character === '"') quoted = !quoted
    else if (character === ">" && !quoted) return at + 1
  }
  return -1
}

/** Parses `<address>` and returns the text after it. `undefined` if the text does not begin with a path. */
const parsePath = (text: string): { readonly path: Path; readonly rest: string } | undefined => {
  if (!text.startsWith("<")) return undefined
  const end = endOfPath(text)
  if (end < 0 || Buffer.byteLength(text.slice(0, end)) > pathBytesMax) return undefined
  const rest = text.slice(end)
  if (rest !== "" && !rest.startsWith(" ")) return undefined
  const path = text.slice(1, end - 1).replace(sourceRoute, "")
  return path === "" || mailboxForm.test(path) ? { path, rest: rest.trim() } : undefined
}

const parameterForm = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([\x21-\x3c\x3e-\x7e]+))?$/
const sizeForm = /^[0-9]{1,20}$/
/** Source: RFC 4954 §5. The value is xtext and not used. */
const authForm = /^(?:<>|[\x21-\x7e]+)$/

const parseMailParameters = (text: string): MailParameters | ReplyName => {
  const values = new Map<string, string | undefined>()
  for (const word of text.split(/ +/).filter(Boolean)) {
    const [, name, value] = parameterForm.exec(word) ?? []
    if (name === undefined || values.has(name.toUpperCase())) return "badSyntax"
    values.set(name.toUpperCase(), value)
  }
  for (const [name, value = ""] of values) {
    if (name === "SIZE" ? !sizeForm.test(value) : name === "BODY" && !/^(?:7BIT|8BITMIME)$/i.test(value))
      return "badSyntax"
    if (name === "AUTH" ? !authForm.test(value) : name === "SMTPUTF8" && value !== "") return "badSyntax"
    if (!["SIZE", "BODY", "AUTH", "SMTPUTF8"].includes(name)) return "unknownParameter"
  }
  const size = values.get("SIZE")
  return { size: size === undefined ? null : Number(size), utf8: values.has("SMTPUTF8") }
}

const parseMail = (argument: string): Command => {
  const parsed = parsePath(argument)
  if (parsed === undefined) return invalid("badSender")
  const parameters = parseMailParameters(parsed.rest)
  return typeof parameters === "string" ? invalid(parameters) : { _tag: "Mail", sender: parsed.path, parameters }
}

const parseRcpt = (argument: string): Command => {
  const parsed = parsePath(argument)
  if (parsed === undefined || parsed.path === "") return invalid("badRecipient")
  return parsed.rest === "" ? { _tag: "Rcpt", recipient: parsed.path } : invalid("unknownParameter")
}

const parseAuth = (argument: string): Command => {
  const [, mechanism, initialResponse] = /^(\S+)(?: +(\S+))?$/.exec(argument) ?? []
  return mechanism === undefined
    ? invalid("badSyntax")
    : { _tag: "Auth", mechanism: mechanism.toUpperCase(), initialResponse: initialResponse ?? null }
}

/** The commands without an argument. */
const plain = { DATA: "Data", RSET: "Rset", QUIT: "Quit", STARTTLS: "StartTls" } as const

/** HTTP methods that a web page can make a browser send to this port. */
const httpMethod = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|PRI) /

/** Parses a line without its line end. Spaces at its end are ignored. Source: RFC 5321 §4.1.1. */
export const parseCommand = (line: string): Command => {
  const text = line.trimEnd()
  const [, verb = "", argument = ""] = /^([A-Za-z0-9]+)(?: +(.*))?$/su.exec(text) ?? []
  const name = verb.toUpperCase()
  switch (name) {
    case "HELO":
    case "EHLO":
    case "LHLO":
      return helloForm.test(argument) ? { _tag: "Hello", verb: name } : invalid("badSyntax")
    case "MAIL": {
      const [, path] = /^FROM: *(.*)$/isu.exec(argument) ?? []
      return path === undefined ? invalid("badSyntax") : parseMail(path)
    }
    case "RCPT": {
      const [, path] = /^TO: *(.*)$/isu.exec(argument) ?? []
      return path === undefined ? invalid("badSyntax") : parseRcpt(path)
    }
    case "AUTH":
      return parseAuth(argument)
    case "DATA":
    case "RSET":
    case "QUIT":
    case "STARTTLS":
      return argument === "" ? { _tag: plain[name] } : invalid("badSyntax")
    case "NOOP":
      return { _tag: "Noop" }
    case "HELP":
      return { _tag: "Help" }
    case "VRFY":
      return argument === "" ? invalid("badSyntax") : { _tag: "Vrfy" }
    case "EXPN":
    case "TURN":
    case "ETRN":
    case "BDAT":
      return invalid("notImplemented")
    default:
      return invalid(httpMethod.test(text) ? "notSmtp" : "unknownCommand")
  }
}
