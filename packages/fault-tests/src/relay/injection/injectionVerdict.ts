/**
 * Decides whether a payload left its field. What arrived must be the message that was sent: its recipients, its header fields and its content.
 */
import { domainToASCII } from "node:url"
import type { ParsedMail } from "../peers/parsers.ts"
import type { SpooledMail } from "../peers/Spool.ts"
import type { SampleMail } from "../SampleMail.ts"
import { differences } from "../sampleVerdict.ts"
import type { InjectionCase } from "./cases.ts"
import { injectionCases } from "./cases.ts"
import { control, evilDomain, evilField } from "./payloads.ts"

/** An accepted delivery of a case. */
export interface AcceptedDelivery {
  readonly case: InjectionCase
  /** `program`, `HTTP` or `submission`. */
  readonly entry: string
  readonly deliveryId: string
  readonly recipient: string
}

/** The header fields of every message. Each of them occurs once at most. */
const ownFields = [
  "cc",
  "content-transfer-encoding",
  "content-type",
  "date",
  "dkim-signature",
  "from",
  "message-id",
  "mime-version",
  "received",
  "reply-to",
  "subject",
  "to"
]

const domainOf = (address: string): string => domainToASCII(address.slice(address.lastIndexOf("@") + 1)).toLowerCase()

/** The header fields that nobody sent, and those that are there twice. */
const strayFields = ({ headers }: ParsedMail, sent: SampleMail): ReadonlyArray<string> => {
  const names = headers.map(([name]) => name.toLowerCase())
  const allowed = new Set([...ownFields, ...Object.keys(sent.headers).map((name) => name.toLowerCase())])
  return names.flatMap((name, index) => [
    ...(allowed.has(name) ? [] : [`it has the header field ${name}`]),
    ...(names.indexOf(name) < index ? [`it has the header field ${name} twice`] : [])
  ])
}

const evilAddresses = ({ from, to, cc, replyTo }: ParsedMail): ReadonlyArray<string> =>
  [...from, ...to, ...cc, ...replyTo]
    .filter(([, address]) => domainOf(address) === evilDomain)
    .map(([, address]) => `its header has the address ${JSON.stringify(address)}`)

/** The submission listener replaces what a file name or a type may not have. So only the rest of a file can be compared. */
const expectedMail = ({ entry, case: { mail } }: AcceptedDelivery, { attachments }: ParsedMail): SampleMail => {
  if (entry !== "submission") return mail
  const files = mail.files.map((file, n) => {
    const { filename, contentType } = attachments[n] ?? file
    return { ...file, filename: filename ?? file.filename, contentType }
  })
  return { ...mail, files }
}

/** What a parser finds in the message that nobody sent there. */
const foundBy = (accepted: AcceptedDelivery, parsed: ParsedMail): ReadonlyArray<string> => {
  if (parsed.error !== undefined) return [`the parser failed: ${parsed.error}`]
  const { comparesContent } = accepted.case
  const mail = expectedMail(accepted, parsed)
  const content = comparesContent ? differences(mail, accepted.recipient, parsed) : []
  return [...strayFields(parsed, mail), ...evilAddresses(parsed), ...content]
}

/** All injections that one message shows. Empty when the payload stayed in its field. */
export const injections = (
  accepted: AcceptedDelivery,
  envelope: Pick<SpooledMail, "to">,
  parsed: Readonly<Record<string, ParsedMail>>
): ReadonlyArray<string> => {
  const label = `${accepted.entry}, ${accepted.case.field}, ${accepted.case.payload.name}`
  const recipients =
    envelope.to.length === 1 && domainOf(envelope.to[0]!) !== evilDomain
      ? []
      : [`its envelope has the recipients ${JSON.stringify(envelope.to)}`]
  const found = Object.entries(parsed).flatMap(([parser, mail]) =>
    foundBy(accepted, mail).map((what) => `${parser}: ${what}`)
  )
  return [...recipients, ...found].map((what) => `${label}: ${what}`)
}

/** Whether the bytes of a message have the injected field at the beginning of a line. */
export const hasEvilField = (raw: Buffer): boolean => {
  const end = raw.indexOf("\r\n\r\n")
  return new RegExp(`^(?:${evilField}|bcc):`, "im").test(raw.subarray(0, end < 0 ? raw.length : end).toString("latin1"))
}

/** The fields that an entry does not have. Nobody has verified the domain of the sender with a text at its end. */
const missingFields: Readonly<Record<string, RegExp>> = {
  program: /^from, end of/,
  HTTP: /^(?:from, end of|header |List-Unsubscribe)/,
  submission: /^(?:from, end of|metadata |idempotencyKey|template )/
}

/** Fields whose control did not arrive. Then the entry refuses whatever is in the field, and the other payloads show nothing. */
export const untestedFields = (accepted: ReadonlyArray<AcceptedDelivery>): ReadonlyArray<string> => {
  const tested = new Set(
    accepted
      .filter(({ case: { payload } }) => payload === control)
      .map(({ entry, case: { field } }) => `${entry}, ${field}`)
  )
  const fields = new Set(injectionCases.map(({ field }) => field))
  return Object.entries(missingFields)
    .flatMap(([entry, missing]) =>
      [...fields].filter((field) => !missing.test(field)).map((field) => `${entry}, ${field}`)
    )
    .filter((one) => !tested.has(one))
    .map((one) => `${one}: a harmless text was refused, so the field is not tested`)
}
