/**
 * Everything with which a call of an embedded mail fails, and its type guard.
 */
import type { MasterSecretRefused, StoreNotOpened, TransactionRefused } from "@mailkeep/core"
import type { ServiceFailure } from "@mailkeep/core/handle/calls"
import { failureGuard, serviceFailureKinds } from "@mailkeep/core/handle/calls"
import type { SmtpOptionsInvalid } from "./adapters.ts"

/** The failures of the opening. The first call of a mail that opens later rejects with them too. */
type OpeningFailure = StoreNotOpened | MasterSecretRefused | SmtpOptionsInvalid

/**
 * Everything with which `openMail` and each method of a mail rejects, and what `within` throws. `switch (failure._tag)` narrows it to one class.
 *
 * Not part of it are an abort, which rejects with the reason of its signal, and a `TypeError` for an option of another form. Nor are the errors of your own
 * functions, such as those of the outbox and of the rows of an import. Any other error is a bug.
 */
export type MailFailure = ServiceFailure | TransactionRefused | OpeningFailure

/**
 * Whether an error is a failure of Mailkeep, such as in a `catch`. Compares `_tag` and `kind` and not the class, so that it also knows the failures of
 * another copy of the package.
 *
 * @example
 * ```ts
 * import { isMailFailure, memory, openMail, stub } from "mailkeep"
 *
 * const mail = await openMail({ store: memory(), transport: stub() })
 * try {
 *   await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
 * } catch (error) {
 *   if (!isMailFailure(error)) throw error
 *   console.log(error._tag, error.isRetryable) // SenderDomainNotVerified false
 * }
 * await mail.close()
 * ```
 */
export const isMailFailure: (error: unknown) => error is MailFailure = failureGuard<MailFailure>({
  ...serviceFailureKinds,
  TransactionRefused: null,
  StoreNotOpened: null,
  MasterSecretRefused: null,
  SmtpOptionsInvalid: null
})
