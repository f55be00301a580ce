/**
 * Adds the address key to an address. Contacts, suppressions and hand-offs find the suppression of an address by this key.
 */
import type { ProjectId } from "../../domain/access/Project.ts"
import type { KeyedAddress } from "../../domain/contact/Suppression.ts"

/** `addressKey` is the function of `Secrets`; `address` is a canonical address. */
export const keyedAddressOf = (
  addressKey: (address: string) => string,
  projectId: ProjectId,
  address: string
): KeyedAddress => ({ projectId, address, addressKey: addressKey(address) })
