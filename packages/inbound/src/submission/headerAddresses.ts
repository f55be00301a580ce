/**
 * Reads the addresses of a header field. Source: RFC 5322 §3.4.
 */
import type { Address } from "postal-mime"
import { addressParser } from "postal-mime"

/** What is in angle brackets, in a comment or in quotation marks. The group is the domain of a quoted local part, with its `@`. */
const enclosed = /<[^<>]*|\((?:[^()\\]|\\.)*|"(?:[^"\\]|\\.)*(?:"(@[^\s"(),:;<>@[\]]+)?)?/gs

/** Returns the mailboxes and groups of a field. postal-mime removes the quotation marks of an address that has no angle brackets, so it gets some. */
export const headerAddresses = (value: string): Array<Address> =>
  addressParser(
    value.replace(enclosed, (text: string, domain: string | undefined) => (domain === undefined ? text : `<${text}>`))
  )
