/**
 * Makes the command of a send from its input: reads and hashes the files, and validates the input.
 */
import { Effect } from "effect"
import type { AcceptSend } from "../../decide/message/acceptSend.ts"
import { recipientsOf } from "../../decide/message/acceptSend.ts"
import type { Principal } from "../../domain/access/ApiKey.ts"
import type { ValidAttachment } from "../../domain/message/Attachment.ts"
import type { HashedAttachment } from "../../domain/message/attachmentContent.ts"
import { transactionKey } from "../../domain/message/Idempotency.ts"
import type { ValidSendOptions } from "../../domain/message/SendOptions.ts"
import type { ValidSend } from "../../domain/message/SendRequest.ts"
import { canonicalSend, parseSend } from "../../domain/message/SendRequest.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { FileReaderShape } from "../../port/FileReader.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import { hasPaths, withFilesRead } from "./attachmentFiles.ts"
import { contentHash } from "./contentHash.ts"
import { validated } from "../validated.ts"

export interface SendCommandDeps {
  readonly crypto: Crypto["Service"]
  readonly plans: PlanSource["Service"]
  /** `null`: a send with the path of a file is refused. */
  readonly files: FileReaderShape | null
  readonly addressKey: (address: string) => string
}

export const makeSendCommand = ({ crypto, plans, files, addressKey }: SendCommandDeps) => {
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

  return { withFiles, commandOf }
}
