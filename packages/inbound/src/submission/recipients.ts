/**
 * Decides the kind of each recipient. The envelope decides who gets the message, and the header fields `To` and `Cc` decide who sees whom.
 * Source: RFC 5321 §2.3.1; RFC 5322 §3.6.3; RFC 6409 §3.
 */
import type { SendInput, SendOptions } from "@mailkeep/core"
import { parseAddress } from "@mailkeep/core/binding"
import type { Address as HeaderAddress } from "postal-mime"

/** The recipients of a send. */
type Recipients = Pick<SendInput, "cc" | "bcc"> & { readonly to: ReadonlyArray<string> }

/** The recipients of a send, and the addresses that each copy shows. Without the latter, each recipient sees only its own address. */
export interface SubmittedRecipients {
  readonly recipients: Recipients
  readonly shown: SendOptions["shownRecipients"]
}

const canonical = (address: string): string => parseAddress(address)?.canonical ?? address.toLowerCase()

/** The addresses of a header field, also those in groups, each once. Leaves out what is no address. */
const addressesOf = (field: ReadonlyArray<HeaderAddress>): ReadonlyArray<string> => {
  const addresses = field.flatMap((entry) =>
    entry.group === undefined ? [entry.address] : entry.group.map(({ address }) => address)
  )
  const valid = addresses.filter((address) => parseAddress(address) !== undefined)
  return [...new Map(valid.map((address) => [canonical(address), address])).values()]
}

const listed = (name: "cc" | "bcc", addresses: ReadonlyArray<string>) =>
  addresses.length === 0 ? {} : { [name]: addresses }

/**
 * Returns the recipients of a send. All recipients of one transaction get the same message with the fields `To` and `Cc` of the client, also
 * with addresses that are no recipients of this transaction. A recipient that is in neither field is `bcc`. If `To` has no address, each
 * recipient gets a copy that shows only its own.
 */
export const recipientsOf = (
  envelope: ReadonlyArray<string>,
  header: { readonly to: ReadonlyArray<HeaderAddress>; readonly cc: ReadonlyArray<HeaderAddress> }
): SubmittedRecipients => {
  const unique = [...new Map(envelope.map((address) => [canonical(address), address])).entries()]
  const shown = { to: addressesOf(header.to), cc: addressesOf(header.cc) }
  if (shown.to.length === 0) return { recipients: { to: unique.map(([, address]) => address) }, shown: undefined }
  const [inTo, inCc] = [new Set(shown.to.map(canonical)), new Set(shown.cc.map(canonical))]
  const pick = (isPicked: (address: string) => boolean) =>
    unique.filter(([address]) => isPicked(address)).map(([, address]) => address)
  const to = pick((one) => inTo.has(one))
  const cc = pick((one) => inCc.has(one) && !inTo.has(one))
  const hidden = pick((one) => !inTo.has(one) && !inCc.has(one))
  // A send needs an address in `to`. The kind of a recipient does not change what its copy shows.
  const [first, ...rest] = [...to, ...cc, ...hidden]
  return to.length > 0
    ? { recipients: { to, ...listed("cc", cc), ...listed("bcc", hidden) }, shown }
    : { recipients: { to: [first!], ...listed("bcc", rest) }, shown }
}
