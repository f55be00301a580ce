/**
 * The replies of the bounce listener that are not replies of the protocol.
 */
import type { Reply, ReplyRow } from "../listener/Reply.ts"
import { toReply } from "../listener/Reply.ts"

/** Every reply of the bounce listener that is not one of the protocol. */
export const bounceReplies = {
  received: {
    code: 250,
    enhancedCode: "2.0.0",
    text: "Ok",
    occurs: "The report is recorded, or the message is no report about a delivery.",
    source: "RFC 5321 §6.1; RFC 2033 §4.2"
  },
  unknownRecipient: {
    code: 550,
    enhancedCode: "5.1.1",
    text: "No such address here",
    occurs: "`RCPT` with an address that is not the return path of a delivery.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.2"
  },
  notStored: {
    code: 451,
    enhancedCode: "4.3.0",
    text: "The report cannot be recorded now, try again later",
    occurs: "The store is unavailable.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.4"
  }
} as const satisfies Readonly<Record<string, ReplyRow>>

/** Returns a reply of the table. */
export const bounceReply = (name: keyof typeof bounceReplies): Reply => toReply(bounceReplies[name])
