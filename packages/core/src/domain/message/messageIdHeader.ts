/**
 * The header field `Message-ID` (RFC 5322 §3.6.4). Source: decision 0030.
 */
import type { Delivery } from "../delivery/Delivery.ts"
import { withPrefix } from "../value/Id.ts"
import type { Message } from "./Message.ts"

/**
 * The `Message-ID` of a delivery, with angle brackets: the id of the delivery at the sender domain. The copies of one message with `cc` or `bcc` have that
 * of the first delivery. A reply to one of them then belongs to one conversation for all recipients.
 */
export const messageIdHeaderOf = (delivery: Pick<Delivery, "id">, { id, to, domain }: Message): string =>
  `<${to.length === 0 ? delivery.id : withPrefix("del", id)}@${domain}>`
