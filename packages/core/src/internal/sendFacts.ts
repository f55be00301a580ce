/**
 * Makes the command of a send from its input, and loads the facts for its decision. `Sending` accepts, refuses or plans with them.
 */
import { Effect } from "effect"
import type { AcceptSend, AcceptSendFacts } from "../decide/message/acceptSend.ts"
import { recipientsOf } from "../decide/message/acceptSend.ts"
import type { SendTemplate } from "../decide/message/sendContent.ts"
import type { Principal } from "../domain/access/ApiKey.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import type { ValidAttachment } from "../domain/message/Attachment.ts"
import type { HashedAttachment } from "../domain/message/attachmentContent.ts"
import { transactionKey } from "../domain/message/Idempotency.ts"
import type { ValidSendOptions } from "../domain/message/SendOptions.ts"
import type { ValidSend } from "../domain/message/SendRequest.ts"
import { canonicalSend, parseSend } from "../domain/message/SendRequest.ts"
import { dailyCounter } from "../domain/plan/Plan.ts"
import type { InvalidArgument } from "../domain/value/Failure.ts"
import type { IdBlock } from "../domain/value/Id.ts"
import type { Instant } from "../domain/value/Instant.ts"
import { utcDayOf } from "../domain/value/Instant.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { FileReaderShape } from "../port/FileReader.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { PlanSource } from "../port/PlanSource.ts"
import { hasPaths, withFilesRead } from "./attachmentFiles.ts"
import { contentHash } from "./contentHash.ts"
import { templateReads } from "./templateReads.ts"
import { validated } from "./validated.ts"

/** What the facts of a send need. */
export interface SendFactsDeps {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
  readonly plans: PlanSource["Service"]
  readonly files: FileReaderShape | null
  readonly addressKey: (address: string) => string
  readonly smtpUtf8: boolean
  readonly canUnsubscribe: boolean
}

/** When a decision is made, and the ids that it may use. */
export interface SendClockFacts {
  readonly now: Instant
  readonly ids: IdBlock
}

/** Loads the template that a send names, if it is published and not archived. */
const loadTemplate = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  idOrAlias: string
): Effect.fn.Return<SendTemplate | null, StoreUnavailable> {
  const { find, withVersions, withBodies } = templateReads(store)
  const template = yield* find(projectId, idOrAlias)
  if (template === null || template.content.archivedAt !== null) return null
  const [summary] = yield* withVersions(projectId, [template])
  if (summary?.published == null) return null
  const [published] = yield* withBodies(projectId, [summary.published])
  return { template, ...published! }
})

export const makeSendFacts = ({ store, crypto, plans, files, addressKey, smtpUtf8, canUnsubscribe }: SendFactsDeps) => {
  /** Reads the files that the input gives by their path, at most as many bytes as the plan allows. Only the embedding product may give a path. */
  const withFiles = (
    { source, projectId }: Principal,
    input: unknown
  ): Effect.Effect<unknown, InvalidArgument | StoreUnavailable> =>
    source === "embedded" && hasPaths(input)
      ? Effect.flatMap(plans.planOf(projectId), ({ attachmentBytes }) => withFilesRead(input, files, attachmentBytes))
      : Effect.succeed(input)

  const hashedFiles = (files: ReadonlyArray<ValidAttachment>): Effect.Effect<ReadonlyArray<HashedAttachment>> =>
    files.length === 0
      ? Effect.succeed([])
      : Effect.forEach(files, (file) => Effect.map(contentHash(crypto, file.content), (hash) => ({ ...file, hash })))

  /**
   * The key under which a send is recorded. Over SMTP the idempotency key is a part of the message. A client with more recipients than one transaction
   * takes hands in the message again for the others.
   */
  const recordedKey = ({ source }: Principal, send: ValidSend, idempotencyKey: string): string => {
    if (source !== "smtp") return idempotencyKey
    const addresses = recipientsOf(send).map(({ address }) => address.canonical)
    return transactionKey(idempotencyKey, addressKey(addresses.toSorted().join("\n")))
  }

  /** Validates an input whose files are read. */
  const commandOf = (
    principal: Principal,
    input: unknown,
    options: ValidSendOptions,
    idempotencyKey: string | null
  ): Effect.Effect<AcceptSend, InvalidArgument> =>
    Effect.flatMap(
      validated((value) => parseSend(value, principal.source, options.shownRecipients !== null), input),
      (send) =>
        Effect.map(hashedFiles(send.attachments), (attachments) => ({
          principal,
          send,
          options,
          idempotency:
            idempotencyKey === null
              ? null
              : {
                  key: recordedKey(principal, send, idempotencyKey),
                  fingerprint: crypto.sha256(canonicalSend(send, options, attachments))
                },
          attachments
        }))
    )

  /** Loads everything that the decision needs. */
  const load = (
    { principal, send, idempotency }: AcceptSend,
    { now, ids }: SendClockFacts
  ): Effect.Effect<AcceptSendFacts, StoreUnavailable> => {
    const { projectId } = principal
    const { from, scheduledAt, templateId } = send
    const addresses = recipientsOf(send).map(({ address }) => address.canonical)
    const template = templateId === null ? Effect.succeed(null) : loadTemplate(store, projectId, templateId)
    const apiKey = principal.apiKeyId === null ? [] : [{ _tag: "ApiKey", projectId, id: principal.apiKeyId } as const]
    const reads = store.read([
      // No record has the empty key.
      { _tag: "Idempotency", projectId, key: idempotency?.key ?? "" },
      { _tag: "Domain", projectId, domain: from.domain },
      { _tag: "ContactsByAddress", projectId, addresses },
      { _tag: "Suppressions", projectId, addressKeys: addresses.map(addressKey) },
      {
        _tag: "Counters",
        projectId,
        names: [dailyCounter(utcDayOf(scheduledAt ?? now)), "allowance", "scheduledRecipients"]
      },
      { _tag: "Project", id: projectId },
      ...apiKey
    ])
    return Effect.zipWith(
      Effect.zip(plans.planOf(projectId), template),
      reads,
      (
        [plan, template],
        [idempotencyRecord, domain, contacts, suppressions, used, project, apiKey = null]
      ): AcceptSendFacts => ({
        now,
        ids,
        plan,
        smtpUtf8,
        idempotencyRecord,
        apiKey,
        domain,
        template,
        contacts,
        suppressions,
        usage: { daily: used[0]!, allowance: used[1]!, scheduledRecipients: used[2]! },
        project,
        canUnsubscribe
      })
    )
  }

  return { withFiles, commandOf, load }
}
