/**
 * What the code and the text of a permanent refusal show about the address: whether its mailbox or its domain does not exist. The reply of a
 * relay and the report of another system follow these rules. Every doubt is `refused`, because an address that is suppressed by mistake gets
 * no mail. Source: RFC 3463; RFC 5321 §4.2.3; RFC 7504 §3; RFC 7505 §4; decision 0022.
 */
import type { BounceCause } from "./DeliveryReport.ts"

/** The cause of a refusal, as far as it matters for the address. */
export type RefusalCause = Exclude<BounceCause, "expired">

const mailboxUnknownCodes: ReadonlySet<string> = new Set(["5.1.1", "5.1.3", "5.1.6"])
const domainUnknownCodes: ReadonlySet<string> = new Set(["5.1.2", "5.1.10", "5.4.4"])

/** Whether this is a reply to `RCPT` that can be about the mailbox. */
export const isAboutRecipient = (smtpCode: number | null): boolean =>
  smtpCode === 550 || smtpCode === 551 || smtpCode === 553

/** Codes about the address or the route that are in no registry, such as those that Exchange Online gives. */
const unregisteredSubjectOf = (enhancedCode: string): "address" | "route" | null => {
  const [, subject, detail] = enhancedCode.split(".").map(Number)
  if (detail === undefined || detail <= 10) return null
  return subject === 1 ? "address" : subject === 4 ? "route" : null
}

/** Whether the code does not say what failed, so that the text decides. */
export const textDecidesFor = (enhancedCode: string): boolean =>
  enhancedCode === "5.0.0" || enhancedCode === "5.1.0" || enhancedCode === "5.5.0"

/**
 * Whether the relay gave up after a time (RFC 3463 §3.5), also where the class is that of a permanent failure, as it often is. Exchange Online has codes
 * of its own for it, such as 5.4.316, and says so in the text.
 */
export const isDeliveryTimeExpired = (enhancedCode: string | null, text: string): boolean =>
  enhancedCode !== null &&
  (enhancedCode.endsWith(".4.7") || (/\.4\.3\d\d$/.test(enhancedCode) && /\bmessage expired\b/i.test(text)))

const mailboxNoun =
  "(?:user|mailbox|mail box|recipient|account|addressee|alias|person|local[- ]part|(?:e-?mail|mailbox|recipient|destination|user|rcpt) address)"
const mailboxUnknownTexts: ReadonlyArray<RegExp> = [
  new RegExp(`\\b(?:unknown|no such|invalid|non-?existent)\\b.{0,20}\\b${mailboxNoun}\\b`, "i"),
  new RegExp(
    `\\b${mailboxNoun}\\b.{0,60}\\b(?:unknown|not found|not known|not listed|not exist|(?:doesn't|doesnt|didn't) exist|no such|nonexistent|invalid)\\b`,
    "i"
  ),
  /\baddress\b.{0,20}\b(?:unknown|not found|not exist|(?:doesn't|doesnt) exist|nonexistent)\b/i,
  /\bno (?:mailbox|account|one|user|recipient)\b.{0,20}\b(?:here|by that name|with that name|at this address)\b/i,
  /\bnot an? (?:valid|known) (?:user|mailbox|recipient|account)\b/i,
  /\bdoes(?:n't| not) have an? .{0,60}\baccount\b/i
]

/** Replies of Yahoo and mail.ru, which accept any recipient and refuse a missing mailbox only after the message. They mean nothing else. */
const mailboxMissingTexts: ReadonlyArray<RegExp> = [
  /\brequested mail action aborted, mailbox not found\b/i,
  /\bthis user does(?:n't| not) have an? [\w.-]{1,60} account\b/i,
  /\blocal mailbox is unavailable: user not found\b/i
]

/** The text that RFC 5321 §4.2.3 gives to 550 and 450. */
const mailboxUnavailableText = /\brequested (?:mail )?action not taken: mailbox unavailable\b/i

/** OpenSMTPD says no more than this to a recipient that does not exist, and to every recipient whose mail it may not pass on. */
const invalidRecipientText = /^invalid recipient: ?$/i

const mailboxFullText =
  /\b(?:mailbox|mail box|inbox)\b.{0,20}\b(?:full|over ?quota|over (?:its|the) quota|quota (?:is )?exceeded)\b/i

const domainUnknownTexts: ReadonlyArray<RegExp> = [
  // Between the noun and the verdict is at most the name of the host: "host mx.example.org said: user unknown" is about a user.
  /\b(?:host|domain)(?: name)?(?:[ :'"(<]+[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}[.'")>]{0,2})?[ ,:]+(?:(?:is|was|does|could|be|has) ){0,2}(?:unknown|not found|not exist|(?:doesn't|doesnt) exist|not reachable|nonexistent|invalid)\b/i,
  // A server says "no such domain here" of each domain that it does not serve.
  /\b(?:unknown|no such|invalid|non-?existent) (?:host|domain)s?\b(?! (?:here|at this location)\b)/i,
  /\bNonExistentDomain\b/i,
  /\bunroute?able (?:address|mail domain)\b/i
]

/**
 * The texts of RFC 7504 §3 and of RFC 7505 §4 for a host or a domain that takes no mail at all. Postfix adds the name of the domain, and Exim has a
 * text of its own. A text with more words can be about this sender only.
 */
const takesNoMailText =
  /\b(?:host|domain)(?: [\w.-]{1,253})? does(?:n't| not) accept (?:any )?e?mail(?=\s*(?:[.,;(]|$))|\bMX or SRV record indicated no SMTP service\b/i

/** What a text says when the address itself is not the cause. Any of these takes away the certainty that a code seems to give. */
const otherCauseTexts: ReadonlyArray<RegExp> = [
  // The rate or the number of messages.
  /\btoo many\b|\brate\b.{0,10}\blimit|\bat a rate\b|\bfrequency\b|\bthrottl|\bexceed\w*\b.{0,30}\b(?:limit|rate)\b|\b(?:per|this) (?:hour|minute|day)\b/i,
  // A block, the reputation, the content.
  /\bblock(?:ed|ing|list)\b|\bb(?:lack|lock).?list|\bdeny.?list|\bdnsbl\b|\brbl\b|\breputation\b|\bspam\w*|\bunsolicited\b|\bvirus|\bmalware\b|\bphish|\babus/i,
  // A policy, authentication, name of the sending host.
  /\bpolic(?:y|ies)\b|\bprohibited\b|\bun?authori[sz]ed\b|\bnot authori[sz]ed\b|\b(?:un)?authenticat|\bspf\b|\bdkim\b|\bdmarc\b|\bptr\b|\breverse dns\b|\brdns\b/i,
  // Relaying. The name of a table, as in "unknown in relay recipient table", is no cause.
  /\brelay(?:ing)?\b.{0,20}\b(?:denied|not|prohibited|refused)\b|\b(?:unable|not \w+|refus\w+) to relay\b|\bmail relay\b/i,
  // The mailbox exists: full, closed or suspended; or the message is too large.
  /\bquota\b|\b(?:mailbox|inbox|storage|disk)\b.{0,40}\b(?:full|exceed\w*)\b|\bover ?quota\b|\btoo (?:large|big)\b|\bsize limit\b/i,
  /\bsuspend|\bdisabled\b|\binactiv|\bdeactivat|\blocked\b|\bdiscontinued\b|\bexpired\b/i,
  // Time.
  /\btemporar|\btry(?:ing)? again later\b|, try again\b|\bgr[ae]y-?list|\btimed? ?out\b|\bbusy\b|\bloop/i,
  // The recipient, or the reporting system, does not want the message.
  /\bpreferences?\b|\bsuppress/i,
  // The sender or its host is refused, not the recipient.
  /\bip addr|\byour (?:ip|host|server|mail server)\b|\bclient\b/i,
  /\bsender\b.{0,20}\b(?:address|domain|rejected|denied|refused|verif\w+|unknown|invalid)\b|\b(?:domain|address) of (?:the )?sender\b|\bmail from\b|\b(?:helo|ehlo)\b/i,
  /\bsender\b.{0,20}\b(?:not (?:exist|found)|(?:doesn't|doesnt) exist)\b|\b(?:unknown|invalid|no such|verify|verifying) (?:the |your )?sender\b|\b(?:return|reverse)[- ]path\b|\bcallback\b|\b(?:envelope from|from address)\b/i,
  // Who may write to a list.
  /\bof (?:this|the) (?:mailing )?list\b|\bmust be (?:a )?(?:member|subscriber|subscribed)\b|\bsubscribers may post\b/i
]

/** A quoted local part or a run of other characters; then a domain or an address literal. */
const address =
  /(?:"[^"\s<>]{1,80}"|[^\s<>()[\]",:;@\\'`][^\s<>()[\]",:;@\\`]{0,127})@(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,250}[\p{L}\p{N}_])?|\[[0-9A-Fa-f.:]{2,45}\])/u

/** The source of an expression that matches one address in a text. It has no groups and needs the flag `u`. */
export const addressSource = address.source

const url = /\bhttps?:\/\/[^\s<>]{1,500}/gi
const anyAddress = new RegExp(`<?(?:${addressSource})>?`, "gu")
/** A wrapped reply repeats its codes at the beginning of each line. */
const repeatedCodes = /\b[245]\d\d[- ]'?#?[245]\.\d{1,3}\.\d{1,3}\b/g

/** Returns a text without what could look like a reason: links, addresses, and codes in the middle of a sentence. Reads 1,000 characters. */
export const refusalSentence = (text: string): string =>
  text.slice(0, 1000).replace(url, " ").replace(anyAddress, " ").replace(repeatedCodes, " ").replace(/\s+/g, " ")

const matchesAny = (texts: ReadonlyArray<RegExp>, text: string): boolean => texts.some((each) => each.test(text))

/** Whether a sentence says that the mailbox does not exist. */
export const saysMailboxUnknown = (sentence: string): boolean => matchesAny(mailboxUnknownTexts, sentence)

/** Whether a sentence is one of the replies that mean a missing mailbox also when they come after the message. */
export const saysMailboxMissing = (sentence: string): boolean => matchesAny(mailboxMissingTexts, sentence)

/** Whether a sentence is the one that RFC 5321 §4.2.3 gives to 550. As a reply to `RCPT` it means an unknown mailbox. */
export const saysMailboxUnavailable = (sentence: string): boolean => mailboxUnavailableText.test(sentence)

/** Whether a sentence says only that the recipient is invalid. A relay can mean that the sender may not send to that domain. */
export const saysInvalidRecipientOnly = (sentence: string): boolean => invalidRecipientText.test(sentence)

/** Whether a text says that the mailbox is full. */
export const saysMailboxFull = (text: string): boolean => mailboxFullText.test(text.slice(0, 1000))

/** Whether a sentence says that the domain or the host does not exist. */
export const saysDomainUnknown = (sentence: string): boolean => matchesAny(domainUnknownTexts, sentence)

/** Whether a sentence says that the host or the domain takes no mail at all. */
export const saysNoMailAccepted = (sentence: string): boolean => takesNoMailText.test(sentence)

/** Whether a sentence names another cause than an unknown address, such as a rate, a block or a full mailbox. */
export const saysOtherCause = (sentence: string): boolean => matchesAny(otherCauseTexts, sentence)

/** Returns what a permanent enhanced code shows, together with the sentence; `null` if the text alone decides. */
export const causeByEnhancedCode = (enhancedCode: string, sentence: string): RefusalCause | null => {
  if (mailboxUnknownCodes.has(enhancedCode)) return "mailbox_unknown"
  // Exchange Online uses the code of a null MX for an unknown recipient.
  if (domainUnknownCodes.has(enhancedCode)) return saysMailboxUnknown(sentence) ? "mailbox_unknown" : "domain_unknown"
  const unregistered = unregisteredSubjectOf(enhancedCode)
  if (unregistered === "address" && saysMailboxUnknown(sentence)) return "mailbox_unknown"
  if (unregistered === "route" && saysDomainUnknown(sentence)) return "domain_unknown"
  return textDecidesFor(enhancedCode) ? null : "refused"
}
