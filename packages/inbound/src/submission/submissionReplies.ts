/**
 * The replies of the submission listener to an API key and to a message. Only this file gives a failure of the core its reply.
 */
import type { InvalidApiKey, PermissionMissing, RateLimited, SendRefusal } from "@mailkeep/core"
import type { InvalidArgument, Issue, StoreUnavailable } from "@mailkeep/core/binding"
import { issuesSentence } from "@mailkeep/core/binding"
import type { Reply, ReplyRow } from "../listener/Reply.ts"
import { toReply } from "../listener/Reply.ts"

/** Every reply of the submission listener that is not one of the protocol. */
export const submissionReplies = {
  queued: {
    code: 250,
    enhancedCode: "2.0.0",
    text: "Ok: queued as <messageId>",
    occurs: "The message is stored. The reply follows the commit.",
    source: "RFC 5321 §6.1"
  },
  apiKeyRefused: {
    code: 535,
    enhancedCode: "5.7.8",
    text: "The API key is not valid. The user is apikey and the password is the API key",
    occurs: "`AUTH` with an unknown, expired or revoked API key, or with another user than `apikey`.",
    source: "RFC 4954 §6"
  },
  apiKeyNotChecked: {
    code: 454,
    enhancedCode: "4.7.0",
    text: "The API key cannot be checked now, try again later",
    occurs: "`AUTH` when the store is unavailable.",
    source: "RFC 4954 §6"
  },
  apiKeyRevoked: {
    code: 530,
    enhancedCode: "5.7.0",
    text: "The API key is no longer valid",
    occurs: "The API key was revoked or expired after `AUTH`.",
    source: "RFC 4954 §6"
  },
  permissionMissing: {
    code: 550,
    enhancedCode: "5.7.1",
    text: "The API key lacks the permission email.send",
    occurs: "`MAIL` with an API key that may not send.",
    source: "RFC 6409 §6.1; RFC 3463 §3.8"
  },
  recipientInvalid: {
    code: 553,
    enhancedCode: "5.1.3",
    text: "The recipient is not a mailbox such as ada@example.com",
    occurs: "`RCPT` with an address that the interface refuses too.",
    source: "RFC 6409 §6.1; RFC 3463 §3.2"
  },
  rateLimited: {
    code: 451,
    enhancedCode: "4.7.0",
    text: "Too many requests. Retry after <n> seconds.",
    occurs: "`DATA` when the rate limit of the API key or of the project is reached.",
    source: "RFC 5321 §4.2.3; RFC 3463 §3.8"
  },
  senderOutsideScope: {
    code: 550,
    enhancedCode: "5.7.1",
    text: "The API key's domain scope does not allow the domain in From",
    occurs: "The domain in `From` is not in the domain scope of the API key.",
    source: "RFC 6409 §6.1; RFC 3463 §3.8"
  },
  senderNotVerified: {
    code: 550,
    enhancedCode: "5.1.8",
    text: "The domain in From is not a verified domain of this project",
    occurs: "The domain in `From` is missing in the project, or it is not verified.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.2"
  },
  limitReachedForNow: {
    code: 452,
    enhancedCode: "4.7.1",
    text: "<the limit that is reached>",
    occurs: "A limit of the plan that ends later: recipients of a day, or scheduled recipients.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.8"
  },
  limitReached: {
    code: 550,
    enhancedCode: "5.7.1",
    text: "<the limit that is reached>",
    occurs: "Another limit of the plan.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.8"
  },
  contentInvalid: {
    code: 554,
    enhancedCode: "5.6.0",
    text: "<the field> <what is wrong>",
    occurs: "A message that the interface refuses too, or that cannot be read. The text names the first field.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.7"
  },
  contentTooLarge: {
    code: 552,
    enhancedCode: "5.3.4",
    text: "<the field> <what is wrong>",
    occurs: "A body or a file that exceeds its maximum.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.4"
  },
  storeUnavailable: {
    code: 451,
    enhancedCode: "4.3.0",
    text: "The message cannot be stored now, try again later",
    occurs: "The store is unavailable. It may still have the message if the commit is unknown.",
    source: "RFC 5321 §4.3.2; RFC 3463 §3.4"
  }
} as const satisfies Readonly<Record<string, ReplyRow>>

/** The name of a reply of the submission listener. */
export type SubmissionReplyName = keyof typeof submissionReplies

/** Returns a reply of the table, if need be with a text of its own. */
export const submissionReply = (name: SubmissionReplyName, text?: string): Reply => {
  const row = submissionReplies[name]
  return toReply(text === undefined ? row : { ...row, text })
}

/** The names of a message for the fields of a send. */
const messageNames: Readonly<Record<string, string>> = {
  from: "From",
  fromName: "From",
  replyTo: "Reply-To",
  subject: "Subject",
  to: "recipients",
  cc: "recipients",
  bcc: "recipients",
  idempotencyKey: "Idempotency-Key"
}

/** Names the field of the message. A header field of the product has its own name. */
const inMessage = (one: Issue): Issue => {
  const [first, ...rest] = one.path
  if (first === "headers" && rest.length > 0) return { ...one, path: rest }
  if (first === "shownRecipients" && rest.length > 0) return { ...one, path: [rest[0] === "cc" ? "Cc" : "To"] }
  const name = messageNames[String(first)]
  return { ...one, path: name === undefined ? one.path : [name] }
}

const isAboutSize = ({ code, path: [first] }: Issue): boolean =>
  (code === "too_large" || code === "too_long") && ["html", "text", "attachments"].includes(String(first))

const invalidReply = ({ issues }: InvalidArgument): Reply =>
  submissionReply(
    issues.length > 0 && issues.every(isAboutSize) ? "contentTooLarge" : "contentInvalid",
    issuesSentence(issues.map(inMessage), "")
  )

/** Every failure with which the core refuses a submitted message. */
export type SubmissionFailure = SendRefusal | InvalidApiKey | PermissionMissing | RateLimited | StoreUnavailable

/** Returns the reply for a failure after `AUTH`. */
export const failureReply = (failure: SubmissionFailure): Reply => {
  switch (failure._tag) {
    case "InvalidArgument":
      return invalidReply(failure)
    case "InvalidApiKey":
      return submissionReply("apiKeyRevoked")
    case "PermissionMissing":
      return submissionReply("permissionMissing")
    case "SenderOutsideScope":
      return submissionReply("senderOutsideScope")
    case "SenderDomainNotVerified":
      return submissionReply("senderNotVerified")
    case "RateLimited":
      return submissionReply("rateLimited", failure.message)
    case "PlanLimitReached":
      return submissionReply(failure.isRetryable ? "limitReachedForNow" : "limitReached", failure.message)
    case "StoreUnavailable":
      return submissionReply("storeUnavailable")
  }
}
