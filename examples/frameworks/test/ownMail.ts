/**
 * The mail of the product in the process of a test.
 */
import { closeMail, mail } from "../src/mail.ts"

/** An API key, and how to close the mail. */
export const ownMail = async () => {
  const { secret } = await mail.apiKeys.create({ permissions: ["email.send", "email.full_access"] })
  return { apiKey: secret, close: closeMail }
}
