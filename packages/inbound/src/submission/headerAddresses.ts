/**
 * Reads the addresses of a header field. Source: RFC 5322 §3.4.
 */
import type { Address, Mailbox } from "postal-mime"
import { addressParser } from "postal-mime"

/** What is in angle brackets, in a comment or in quotation marks. The group is the domain of a quoted local part, with its `@`. */
const enclosed = /<[^<>]*|\((?:[^()\\]|\\.)*|"(?:[^"\\]|\\.)*(?:"(@[^\s"(),:;<>@[\]]+)?)?/gs

/** Returns the mailboxes and groups of a field. postal-mime removes the quotation marks of an address that has no angle brackets, so it gets some. */
export const headerAddresses = (value: string): Array<Address> =>
  addressParser(
    value.replace(enclosed, (text: string, domain: string | undefined) => (domain === undefined ? text : `<${text}>`))
  )

/** Quotation marks and backslashes can change how a local part is written, and not which address it is. */
const withoutQuotes = (text: string): string => text.replaceAll(/["\\]/g, "")

/** A comment beside the `@` of an address. It may be there, and is no part of the address. Source: RFC 5322 §3.4.1. */
const commentBesideAt = /\([^()]*\)(?=@)|(?<=@)\([^()]*\)/g

const asWritten = (value: string): string => withoutQuotes(value).replace(commentBesideAt, "")

/**
 * Whether the address is in the field as it was read. The parser joins the texts around a comment: of `ada@shop.example(x)other.example` it makes another
 * domain, which no other reader of the message sees.
 */
export const isWritten = (value: string, { address = "" }: Mailbox): boolean =>
  asWritten(value).includes(withoutQuotes(address))

/** The mailboxes of a field and of its groups that are in the field as they were read. Takes linear time, because a field can have thousands. */
export const writtenMailboxes = (value: string): ReadonlyArray<Mailbox> => {
  const mailboxes = headerAddresses(value).flatMap((entry) => entry.group ?? [entry])
  if (!value.includes("(")) return mailboxes
  const words = new Set(asWritten(value).split(/[\s,;:<>()]+/))
  return mailboxes.filter(({ address }) => address.includes('"') || words.has(address))
}
