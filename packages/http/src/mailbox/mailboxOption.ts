/**
 * Whether the mailbox is served. It shows every mail without a login, so that production needs an express choice. Source: decision 0058.
 */
import { assertOptions, mustBe } from "@mailkeep/core/options"

/** `true`: serve the development mailbox. `"also in production"`: serve it with `NODE_ENV=production` too. */
export type MailboxOption = boolean | "also in production"

const environment = (): string | undefined =>
  (globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }).process?.env?.[
    "NODE_ENV"
  ]

/** The values of the option. */
export const mailboxRule = mustBe(
  'true, false or "also in production"',
  (value) => typeof value === "boolean" || value === "also in production"
)

/** Whether the option is on. Throws a `TypeError` in production unless the option says so, and for another value. */
export const checkedMailbox = (option: MailboxOption, nodeEnv: string | undefined = environment()): boolean => {
  assertOptions(mailboxRule, option, "mailbox")
  if (option === true && nodeEnv === "production")
    throw new TypeError(
      'The mailbox shows every mail without a login, so it is not served with NODE_ENV=production. Set mailbox to "also in production" to serve it.'
    )
  return option !== false
}
