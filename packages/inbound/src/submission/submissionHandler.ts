/**
 * Checks the clients, the recipients and the messages of the submission listener by the rules of the interface: the same API keys, permissions,
 * rate limits, domain scopes, plans and validation. Source: decisions 0009 and 0017.
 */
import type { StoreUnavailable } from "@mailkeep/core"
import { Access, Sending } from "@mailkeep/core"
import type { Principal } from "@mailkeep/core/binding"
import { makeStoreFailureLog, parseAddress } from "@mailkeep/core/binding"
import { Effect, Result } from "effect"
import type { MailHandler } from "../listener/MailHandler.ts"
import type { Reply } from "../listener/Reply.ts"
import { readMessage } from "./messageReader.ts"
import { toSubmission } from "./sendInput.ts"
import type { SubmissionFailure } from "./submissionReplies.ts"
import { failureReply, submissionReply } from "./submissionReplies.ts"

/** The user of every client. The password is the API key. */
const userName = "apikey"

/** Makes the handler of the submission listener. */
export const makeSubmissionHandler: Effect.Effect<MailHandler<Principal>, never, Access | Sending> = Effect.gen(
  function* () {
    const access = yield* Access
    const sending = yield* Sending
    const warn = makeStoreFailureLog("SMTP submissions are refused for now.")

    const warnOfStore = (failure: SubmissionFailure | StoreUnavailable) =>
      failure._tag === "StoreUnavailable" ? warn(failure) : Effect.void

    /** Turns the failures of the core into replies. */
    const withReply = <A>(effect: Effect.Effect<A, SubmissionFailure>): Effect.Effect<A, Reply> =>
      effect.pipe(Effect.tapError(warnOfStore), Effect.mapError(failureReply))

    const submit = Effect.fnUntraced(function* (
      principal: Principal,
      recipients: ReadonlyArray<string>,
      raw: Uint8Array
    ) {
      const read = yield* Effect.promise(() => readMessage(raw))
      const submission = Result.flatMap(read, (message) => toSubmission(message, recipients))
      if (Result.isFailure(submission)) return submissionReply("contentInvalid", `The message ${submission.failure}`)
      const { input, options } = submission.success
      const { messageId } = yield* sending.send(principal, input, options)
      return submissionReply("queued", `Ok: queued as ${messageId}`)
    })

    return {
      anonymous: null,
      authenticate: ({ user, password }) =>
        user !== userName
          ? Effect.fail(submissionReply("apiKeyRefused"))
          : access.authenticate(password).pipe(
              Effect.tapError(warnOfStore),
              Effect.map((principal): Principal => ({ ...principal, source: "smtp" })),
              Effect.mapError(({ _tag }) =>
                submissionReply(_tag === "InvalidApiKey" ? "apiKeyRefused" : "apiKeyNotChecked")
              )
            ),
      checkSender: (principal) => withReply(access.authorize(principal, "email.send")),
      checkRecipient: (_, recipient) =>
        parseAddress(recipient) === undefined ? Effect.fail(submissionReply("recipientInvalid")) : Effect.void,
      checkData: (principal) => withReply(Effect.flatMap(access.takeRateLimit(principal), access.failIfLimited)),
      receive: ({ client, recipients, raw }) =>
        Effect.catch(withReply(submit(client, recipients, raw)), (reply) => Effect.succeed(reply))
    }
  }
)
