/**
 * Finds the content and the names of a message, from the send or from its template, and checks what depends on the clock or the transport.
 */
import { Result } from "effect"
import type { Address } from "../../domain/message/Address.ts"
import { parseAddress } from "../../domain/message/Address.ts"
import { windowIssue } from "../../domain/message/SendingWindow.ts"
import type { ValidSendOptions } from "../../domain/message/SendOptions.ts"
import type { ValidSend } from "../../domain/message/SendRequest.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { StoredVersion } from "../../domain/template/Template.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import { isAscii } from "../../domain/value/TextLength.ts"
import type { RenderedTemplate } from "../template/renderTemplate.ts"
import { renderTemplate } from "../template/renderTemplate.ts"
import { templatePartsOf } from "../template/templateVersion.ts"

/** A template that is not archived, with its published version. */
export interface SendTemplate extends StoredVersion {
  readonly template: ResourceOf<"template">
}

export interface SendContentFacts {
  readonly now: Instant
  /** Whether the transport can send to and from addresses that are not ASCII. */
  readonly smtpUtf8: boolean
  /** The template that the send names; `null` if no published template has this id or alias. */
  readonly template: SendTemplate | null
}

/** The content and the sender names of the message. */
export interface SendContent extends RenderedTemplate {
  readonly fromName: string | null
  readonly replyTo: string | null
}

const needsUtf8 = (path: Issue["path"]): Issue =>
  issue(path, "invalid_value", "needs SMTPUTF8, which the transport lacks")

/** The issues of the addresses that each copy shows, with paths in the options of the send. A relay without SMTPUTF8 refuses such a header. */
export const shownRecipientIssues = ({ shownRecipients }: ValidSendOptions): ReadonlyArray<Issue> =>
  (["to", "cc"] as const).flatMap((field) =>
    (shownRecipients?.[field] ?? []).flatMap((address, index) =>
      isAscii(address) ? [] : [needsUtf8(["shownRecipients", field, index])]
    )
  )

const utf8Issues = (send: ValidSend): ReadonlyArray<Issue> => {
  const issuesOf = (field: string, list: ReadonlyArray<Address>) =>
    list.flatMap((address, index) => (address.utf8 ? [needsUtf8(list.length > 1 ? [field, index] : [field])] : []))
  return [
    ...issuesOf("from", [send.from]),
    ...issuesOf("to", send.to),
    ...issuesOf("cc", send.cc),
    ...issuesOf("bcc", send.bcc),
    ...issuesOf("replyTo", send.replyTo === null ? [] : [send.replyTo])
  ]
}

const contentOrIssues = (
  send: ValidSend,
  { template, smtpUtf8 }: SendContentFacts
): Result.Result<SendContent, ReadonlyArray<Issue>> => {
  const { subject, html, text, fromName } = send
  const replyTo = send.replyTo?.address ?? null
  if (send.templateId === null) return Result.succeed({ subject: subject ?? "", html, text, fromName, replyTo })
  if (template === null)
    return Result.fail([issue(["templateId"], "unknown_template", "is not a published template of this project")])
  const source = templatePartsOf(template)
  // The template shows the address as it was given. A message has its A-labels.
  const templateReplyTo = source.replyTo === null ? null : parseAddress(source.replyTo)!
  if (!smtpUtf8 && replyTo === null && templateReplyTo?.utf8 === true)
    return Result.fail([
      issue(["templateId"], "invalid_value", "names a reply-to that needs SMTPUTF8, which the transport lacks")
    ])
  return Result.map(renderTemplate(source, send.templateVariables, "templateVariables"), (rendered) => ({
    ...rendered,
    fromName: fromName ?? source.fromName,
    replyTo: replyTo ?? templateReplyTo?.address ?? null
  }))
}

/** Returns the content of the message, or every issue of the send that depends on the clock, the transport or the template. */
export const sendContent = (
  send: ValidSend,
  facts: SendContentFacts
): Result.Result<SendContent, ReadonlyArray<Issue>> => {
  const outsideWindow = send.scheduledAt === null ? undefined : windowIssue(send.scheduledAt, facts.now)
  const content = contentOrIssues(send, facts)
  const issues = [
    ...(facts.smtpUtf8 ? [] : utf8Issues(send)),
    ...(outsideWindow === undefined ? [] : [outsideWindow]),
    ...(Result.isFailure(content) ? content.failure : [])
  ]
  return issues.length > 0 ? Result.fail(issues) : content
}
