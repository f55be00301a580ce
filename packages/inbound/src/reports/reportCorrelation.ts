/** Collects the facts of a report that may name the delivery. Source: RFC 3464 §2.2.1, RFC 3461 §4.4, RFC 5965 §3.2 */
import { addressesIn } from "./addresses.ts"
import { firstValue, valuesOf } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"
import type { ReportCorrelation } from "./MailReport.ts"

const hintsMax = 20
const envelopeIdCharactersMax = 100
const fieldCharactersMax = 4096

/** Where the facts are found. */
export interface CorrelationSources {
  readonly headers: ParsedHeaderFields
  /** The fields about the message in a delivery status or feedback report. */
  readonly report: ParsedHeaderFields
  /** The header of the returned message. */
  readonly returned: ParsedHeaderFields
}

const messageId = /<[^<>\s]{1,300}>/g

/** Reads the hints. Each list has at most 20 entries. */
export const correlationOf = ({ headers, report, returned }: CorrelationSources): ReportCorrelation => {
  const values = (fields: ParsedHeaderFields, names: ReadonlyArray<string>): string =>
    names
      .flatMap((name) => valuesOf(fields, name))
      .join(", ")
      .slice(0, fieldCharactersMax)
  const returnPaths = [
    values(headers, ["to", "delivered-to", "x-original-to", "envelope-to"]),
    values(returned, ["return-path"]),
    values(report, ["original-mail-from", "x-postfix-sender"])
  ].join(", ")
  const ids = [
    values(returned, ["message-id"]),
    values(report, ["x-original-message-id"]),
    values(headers, ["in-reply-to"])
  ].join(" ")
  const envelopeId = firstValue(report, "original-envelope-id")?.slice(0, envelopeIdCharactersMax) ?? ""
  return {
    returnPaths: addressesIn(returnPaths.toLowerCase(), hintsMax),
    envelopeId: envelopeId === "" ? null : envelopeId,
    messageIds: [...new Set(ids.match(messageId) ?? [])].slice(0, hintsMax)
  }
}
