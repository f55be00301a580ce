/**
 * A signed text that names a delivery, for addresses and links that other systems send back. Only Mailkeep can make one.
 */
import type { DeliveryId } from "../value/Id.ts"
import { isId } from "../value/Id.ts"

/** Returns the signature of a text in lower-case hexadecimal digits. Relays may change the case of a local part, but not these. */
export type SignToken = (text: string) => string

/** Makes and compares signatures. `equal` compares in constant time. */
export interface TokenVerifier {
  readonly sign: SignToken
  readonly equal: (a: string, b: string) => boolean
}

/** In characters. 80 bits: nobody can guess a signature, and a local part with it stays below 64 characters (RFC 5321 §4.5.3.1.1). */
const signatureCharacters = 20

const signatureOf = (sign: SignToken, ulid: string): string => sign(ulid).slice(0, signatureCharacters)

/** Returns the token of a delivery: 26 characters of its id, a period and 20 hexadecimal digits. A delivery always has the same. */
export const deliveryToken = (deliveryId: DeliveryId, sign: SignToken): string => {
  const ulid = deliveryId.slice("del_".length)
  return `${ulid}.${signatureOf(sign, ulid)}`
}

const form = /^([0-9a-z]{26})\.([0-9a-f]{20})$/

/** Returns the delivery that a token names, in any case of letters; `undefined` for any other text. */
export const readDeliveryToken = (token: string, { sign, equal }: TokenVerifier): DeliveryId | undefined => {
  const [, ulid, signature] = form.exec(token.slice(0, 64).toLowerCase()) ?? []
  if (ulid === undefined || signature === undefined) return undefined
  const deliveryId = `del_${ulid}`
  return isId("del", deliveryId) && equal(signature, signatureOf(sign, ulid)) ? deliveryId : undefined
}
