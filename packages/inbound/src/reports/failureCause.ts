/**
 * Decides whether a permanent failure shows that the mailbox or the domain does not exist. Every doubt is `refused`, because an address that
 * is suppressed by mistake gets no mail. Source: RFC 3463, RFC 5321 §4.3.2, RFC 7504 §3, RFC 7505 §4; decision 0022
 */
import { addressSource } from "./addresses.ts"
import type { FailureCause, RefusedCommand } from "./MailReport.ts"

/** The facts of a failed delivery. */
export interface FailureFacts {
  /** What the reporting system gave in `Status`. */
  readonly reportedStatus: string | null
  /** The enhanced code in the reply of the remote system. */
  readonly remoteStatus: string | null
  /** The one of the two that describes the failure. */
  readonly status: string | null
  readonly code: number | null
  readonly command: RefusedCommand | null
  readonly diagnostic: string
  /** The type of `Diagnostic-Code` in lower case, such as `smtp` or `x-unix`. */
  readonly diagnosticType: string | null
  /** `X-PowerMTA-BounceCategory` in lower case. */
  readonly category: string | null
  readonly recipient: string | null
  /** The fields of RFC 3464 were read. */
  readonly standard: boolean
}

const mailboxUnknownCodes: ReadonlySet<string> = new Set(["5.1.1", "5.1.3", "5.1.6"])
const domainUnknownCodes: ReadonlySet<string> = new Set(["5.1.2", "5.1.10", "5.4.4"])

/** The replies to `RCPT` that can be about the mailbox. */
const recipientReplies: ReadonlySet<number | null> = new Set([550, 551, 553])
const userNotLocal = 551

/** Codes about the address or the route that are in no registry, such as those that Exchange Online gives. */
const unregisteredSubjectOf = (status: string): "address" | "route" | null => {
  const [, subject, detail] = status.split(".").map(Number)
  if (detail === undefined || detail <= 10) return null
  return subject === 1 ? "address" : subject === 4 ? "route" : null
}

/** The code does not say what failed, so that the text decides. */
const isUnspecificCode = (status: string): boolean => status === "5.0.0" || status === "5.1.0" || status === "5.5.0"

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

/** The text that RFC 5321 §4.2.3 gives to 550 and 450. */
const mailboxUnavailableText = /\brequested (?:mail )?action not taken: mailbox unavailable\b/i

/** The program that puts mail into the mailboxes of the reporting system, and says so itself. */
const localAgentText = /\bmail\.local: unknown user\b/i

const domainUnknownTexts: ReadonlyArray<RegExp> = [
  // Between the noun and the verdict is at most the name of the host: "host mx.example.org said: user unknown" is about a user.
  /\b(?:host|domain)(?: name)?(?:[ :'"(<]+[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}[.'")>]{0,2})?[ ,:]+(?:(?:is|was|does|could|be|has) ){0,2}(?:unknown|not found|not exist|(?:doesn't|doesnt) exist|not reachable|nonexistent|invalid)\b/i,
  /\b(?:unknown|no such|invalid|non-?existent) (?:host|domain)\b/i,
  /\bNonExistentDomain\b/i,
  /\bunroute?able (?:address|mail domain)\b/i
]

/** The texts of RFC 7504 §3 and of RFC 7505 §4 for a host or a domain that takes no mail at all. */
const takesNoMailText = /\b(?:host|domain) does(?:n't| not) accept (?:any )?e?mail\b/i

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
  /\bsender\b.{0,20}\b(?:address|domain|rejected|denied|refused|verif\w+|unknown|invalid)\b|\b(?:domain|address) of (?:the )?sender\b|\bmail from\b|\bhelo (?:host|name|command)\b/i
]

const url = /\bhttps?:\/\/[^\s<>]{1,500}/gi
const anyAddress = new RegExp(`<?(?:${addressSource})>?`, "gu")
/** A wrapped reply repeats its codes at the begin of each line. */
const repeatedCodes = /\b[245]\d\d[- ]'?#?[245]\.\d{1,3}\.\d{1,3}\b/g

/** Removes what could look like a reason: links, addresses, and codes in the middle of a sentence. */
const sentenceOf = (diagnostic: string): string =>
  diagnostic.slice(0, 1000).replace(url, " ").replace(anyAddress, " ").replace(repeatedCodes, " ").replace(/\s+/g, " ")

const matchesAny = (texts: ReadonlyArray<RegExp>, text: string): boolean => texts.some((each) => each.test(text))

const isTemporary = ({ reportedStatus, status, code }: FailureFacts): boolean =>
  reportedStatus?.startsWith("4") === true || status?.startsWith("4") === true || (code !== null && code < 500)

/** The system gave up after a time, and quotes no code. */
const expiryText =
  /\b(?:message|mail|delivery|it) (?:has )?expired\b|\bretry timeout\b|\bqueue(?:d)? (?:for )?too long\b|\bafter (?:multiple|several|\d+) (?:retries|attempts|days|hours|minutes)\b|\b\d+ attempts\b|\bfor (?:the (?:last|past) )?\d+ (?:seconds|minutes|hours|days)\b|\btimed? ?out\b|\bconnection refused\b|\bunable to connect\b|\brequests to connect\b/i

const hasNoCode = ({ reportedStatus, remoteStatus, code }: FailureFacts): boolean =>
  (reportedStatus === null || isUnspecificCode(reportedStatus)) && remoteStatus === null && code === null

const namesRecipient = ({ diagnostic, recipient }: FailureFacts): boolean =>
  recipient !== null && diagnostic.toLowerCase().includes(recipient.toLowerCase())

/** Without a specific code, a text is believed only as a reply to `RCPT`: other replies use the same words for a refused message. */
const isMailboxUnknownByText = (facts: FailureFacts, sentence: string): boolean => {
  if (localAgentText.test(sentence)) return true
  if (!recipientReplies.has(facts.code)) return false
  const saysUnknown = matchesAny(mailboxUnknownTexts, sentence)
  if (facts.command === "rcpt") return saysUnknown || mailboxUnavailableText.test(sentence)
  if (facts.command !== null || !facts.standard) return false
  // A report that lacks the status: the reply that names the recipient is the only evidence.
  if (facts.status === null) return saysUnknown && namesRecipient(facts)
  return mailboxUnavailableText.test(sentence)
}

const isDomainUnknownByText = ({ command }: FailureFacts, sentence: string): boolean =>
  (command === null || command === "rcpt") && matchesAny(domainUnknownTexts, sentence)

/** sendmail makes 5.1.1 of any 550 to `RCPT`. A diagnostic without a code of its own must then speak of an unknown address. */
const isOwnConclusion = ({ remoteStatus, status, code, diagnosticType, diagnostic }: FailureFacts): boolean =>
  status === "5.1.1" &&
  remoteStatus === null &&
  diagnostic !== "" &&
  (code === null ? diagnosticType !== null : code !== userNotLocal)

const causeByCode = (facts: FailureFacts, status: string, sentence: string): FailureCause | null => {
  const saysUnknown = matchesAny(mailboxUnknownTexts, sentence)
  if (isOwnConclusion(facts)) {
    if (saysUnknown || mailboxUnavailableText.test(sentence)) return "mailbox-unknown"
    return matchesAny(domainUnknownTexts, sentence) ? "domain-unknown" : "refused"
  }
  if (mailboxUnknownCodes.has(status)) return "mailbox-unknown"
  // Exchange Online uses the code of a null MX for an unknown recipient.
  if (domainUnknownCodes.has(status)) return saysUnknown ? "mailbox-unknown" : "domain-unknown"
  const unregistered = unregisteredSubjectOf(status)
  if (unregistered === "address" && saysUnknown) return "mailbox-unknown"
  if (unregistered === "route" && matchesAny(domainUnknownTexts, sentence)) return "domain-unknown"
  return isUnspecificCode(status) ? null : "refused"
}

const causeByText = (facts: FailureFacts, sentence: string): FailureCause => {
  if (facts.category === "bad-mailbox" || isMailboxUnknownByText(facts, sentence)) return "mailbox-unknown"
  return facts.category === "bad-domain" || isDomainUnknownByText(facts, sentence) ? "domain-unknown" : "refused"
}

/** Decides the cause of a failed delivery. */
export const failureCauseOf = (facts: FailureFacts): FailureCause => {
  if (isTemporary(facts)) return "expired"
  const sentence = sentenceOf(facts.diagnostic)
  if (hasNoCode(facts) && expiryText.test(sentence)) return "expired"
  // The output of a delivery program: its exit code says little about the address.
  if (facts.diagnosticType === "x-unix" || matchesAny(otherCauseTexts, sentence)) return "refused"
  if (takesNoMailText.test(sentence)) return "domain-unknown"
  return (facts.status === null ? null : causeByCode(facts, facts.status, sentence)) ?? causeByText(facts, sentence)
}
