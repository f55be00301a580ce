/**
 * Decides the kind of each recipient. The envelope decides who gets the message, and the header fields `To` and `Cc` decide who sees whom.
 * Source: RFC 5321 §2.3.1; RFC 5322 §3.6.3; RFC 6409 §3.
 */
import type { SendInput } from "@mailkeep/core"
import { parseAddress } from "@mailkeep/core/binding"
import type { Address as HeaderAddress } from "postal-mime"

/** The recipients of a send. */
export type Recipients = Pick<SendInput, "cc" | "bcc"> & { readonly to: ReadonlyArray<string> }

const canonical = (address: string): string => parseAddress(address)?.canonical ?? address.toLowerCase()

/** The addresses of a header field, also those in groups. */
const addressesOf = (field: ReadonlyArray<HeaderAddress> | undefined): ReadonlySet<string> =>
  new Set(
    (field ?? []).flatMap((entry) =>
      entry.group === undefined ? [canonical(entry.address)] : entry.group.map(({ address }) => canonical(address))
    )
  )

const listed = (name: "cc" | "bcc", addresses: ReadonlyArray<string>) =>
  addresses.length === 0 ? {} : { [name]: addresses }

/**
 * Returns the recipients of a send.
 *
 * A send with several addresses in `to` makes separate copies, of which each shows only its own recipient. So that all recipients of one
 * transaction get the same message, the first visible recipient is `to`, and the other visible recipients are `cc`. All of them see each
 * other, as in the header of the client. A recipient that is in neither field is `bcc`. If no recipient is visible, each gets a copy that
 * shows only its own address.
 */
export const recipientsOf = (
  envelope: ReadonlyArray<string>,
  header: { readonly to?: Array<HeaderAddress> | undefined; readonly cc?: Array<HeaderAddress> | undefined }
): Recipients => {
  const unique = [...new Map(envelope.map((address) => [canonical(address), address])).entries()]
  const [inTo, inCc] = [addressesOf(header.to), addressesOf(header.cc)]
  const pick = (isPicked: (address: string) => boolean) =>
    unique.filter(([address]) => isPicked(address)).map(([, address]) => address)
  const visible = [...pick((one) => inTo.has(one)), ...pick((one) => inCc.has(one) && !inTo.has(one))]
  const hidden = pick((one) => !inTo.has(one) && !inCc.has(one))
  return visible.length === 0
    ? { to: hidden }
    : { to: visible.slice(0, 1), ...listed("cc", visible.slice(1)), ...listed("bcc", hidden) }
}
