/**
 * Makes what the transport gets of a delivery: the message, its envelope and its DKIM key. The same in all attempts.
 * Source: decisions 0006 and 0040.
 */
import { Effect, Redacted } from "effect"
import type { StartedAttempt } from "../../decide/delivery/beginAttempt.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { SignToken } from "../../domain/delivery/DeliveryToken.ts"
import { returnPathOf } from "../../domain/delivery/ReturnPath.ts"
import type { SenderDomainRecord } from "../../domain/domain-name/SenderDomain.ts"
import { hasPublishedDkimKey, returnPathDomainOf } from "../../domain/domain-name/SenderDomain.ts"
import type { AttachmentRecord } from "../../domain/message/Attachment.ts"
import type { HeaderFields } from "../../domain/message/HeaderField.ts"
import type { Message } from "../../domain/message/Message.ts"
import { messageIdHeaderOf } from "../../domain/message/messageIdHeader.ts"
import type { DeliveryId } from "../../domain/value/Id.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { DkimSignature, HandOff, OutgoingAttachment, OutgoingMessage } from "../../port/Transport.ts"
import { outgoingAttachment } from "../message/contentReader.ts"

/** Everything of a hand-off except the effect `beforeFinalize`. */
export type Outgoing = Omit<HandOff, "beforeFinalize">

export interface OutgoingDeps {
  readonly store: MailStoreShape
  readonly signReturnPath: SignToken
  /** Decrypts the DKIM key of a domain. `null`: it was encrypted under another master secret. */
  readonly decryptDkimKey: (encrypted: string) => string | null
  /** The header fields with the link of a delivery's recipient to unsubscribe. */
  readonly unsubscribeHeaders: (deliveryId: DeliveryId) => HeaderFields
  /** The operator's own domain for return paths, for a sender domain without one; `null` if there is none. */
  readonly bounceDomain: string | null
}

const outgoingMessageOf = (
  delivery: Delivery,
  message: Message,
  unsubscribeHeaders: OutgoingDeps["unsubscribeHeaders"],
  toAttachment: (attachment: AttachmentRecord) => OutgoingAttachment
): OutgoingMessage => ({
  messageIdHeader: messageIdHeaderOf(delivery, message),
  date: delivery.scheduledAt ?? message.createdAt,
  from: { name: message.fromName, address: message.from },
  replyTo: message.replyTo,
  to: message.to.length === 0 ? [delivery.recipient] : message.to,
  cc: message.cc,
  subject: message.subject,
  html: message.html,
  text: message.text,
  headers: message.listUnsubscribe ? { ...message.headers, ...unsubscribeHeaders(delivery.id) } : message.headers,
  attachments: message.attachments.map(toAttachment)
})

/** A key that is not published would make every signature fail, so the message is not signed then. */
const dkimSignatureOf = (
  domain: SenderDomainRecord | null,
  decrypt: OutgoingDeps["decryptDkimKey"]
): DkimSignature | null => {
  if (domain === null || domain.dkim === null || !hasPublishedDkimKey(domain)) return null
  const privateKey = decrypt(domain.dkim.encryptedPrivateKey)
  return privateKey === null
    ? null
    : { domain: domain.domain, selector: domain.dkim.selector, privateKey: Redacted.make(privateKey) }
}

/** Loads the sender domain, and makes what the transport gets. */
export const outgoingOf = (
  { store, signReturnPath, decryptDkimKey, unsubscribeHeaders, bounceDomain }: OutgoingDeps,
  { delivery, attempt, message }: StartedAttempt
): Effect.Effect<Outgoing, StoreUnavailable> =>
  Effect.zipWith(
    Effect.context<never>(),
    store.read([{ _tag: "Domain", projectId: delivery.projectId, domain: message.domain }]),
    (context, [domain]): Outgoing => {
      const toAttachment = outgoingAttachment(context, store, delivery.projectId)
      const returnPathDomain = returnPathDomainOf(domain) ?? bounceDomain
      return {
        projectId: delivery.projectId,
        deliveryId: delivery.id,
        attempt: attempt.number,
        envelope: {
          from: returnPathDomain === null ? message.from : returnPathOf(delivery.id, returnPathDomain, signReturnPath),
          to: delivery.recipient
        },
        message: outgoingMessageOf(delivery, message, unsubscribeHeaders, toAttachment),
        dkim: dkimSignatureOf(domain, decryptDkimKey)
      }
    }
  )
