/**
 * The return path of a delivery: the address that receives its bounces (RFC 5321 §4.4). It names the delivery and is signed, so that only a
 * report about a message that Mailkeep sent can change a delivery. Source: decision 0040.
 */
import type { DeliveryId } from "../value/Id.ts"
import { idTime } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import { dayMillis } from "../value/Instant.ts"
import type { SignToken, TokenVerifier } from "./DeliveryToken.ts"
import { deliveryToken, readDeliveryToken } from "./DeliveryToken.ts"

/**
 * How long a report can change a delivery, from its creation: 30 days until the scheduled time, 5 days in the queue, 5 days in the queue of
 * the relay, and a reserve.
 */
const validMillis = 60 * dayMillis

/** The same from the time at which the delivery was queued. A message can be rescheduled again and again, so that it is queued much later. */
const validAfterQueueMillis = 30 * dayMillis

/** Returns the return path of a delivery at a domain, such as `b+01jx….3f…@bounces.acme.example`. The same delivery always has the same. */
export const returnPathOf = (deliveryId: DeliveryId, domain: string, sign: SignToken): string =>
  `b+${deliveryToken(deliveryId, sign)}@${domain}`

const form = /^b\+([^@]+)@[^@]+$/i

/** Returns the delivery that a return path names; `undefined` for any other address and for a forged one. */
export const readReturnPath = (address: string, verifier: TokenVerifier): DeliveryId | undefined => {
  const [, token] = form.exec(address.slice(0, 320)) ?? []
  return token === undefined ? undefined : readDeliveryToken(token, verifier)
}

/** Whether a report can still change the delivery with this id. Without `queuedAt`, only the time of its creation counts. */
export const isReportedInTime = (
  { id, queuedAt }: { readonly id: DeliveryId; readonly queuedAt: Instant | null },
  now: Instant
): boolean => now < idTime(id) + validMillis || (queuedAt !== null && now < queuedAt + validAfterQueueMillis)
