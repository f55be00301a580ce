/**
 * Tests of a product that sends mail with Mailkeep: a mail in memory, a clock to advance, and the outcomes that the test asks for.
 *
 * @example
 * ```ts
 * import { testMail } from "@mailkeep/testing"
 *
 * const mail = testMail({ from: "Acme <hi@acme.example>" })
 * mail.script("ada@example.org", ["deferred", "delivered"])
 * await mail.send({ to: "ada@example.org", subject: "Welcome", text: "Confirm: https://acme.example/confirm/1" })
 * await mail.advance("2 minutes")
 * console.log(mail.last("ada@example.org").links[0]) // https://acme.example/confirm/1
 * await mail.close()
 * ```
 */
export { testMail } from "./makeTestMail.ts"
export type { BounceOptions, TestMail, TestMailOptions, WaitOptions, WebhookPost } from "./TestMail.ts"
export type { CapturedAttachment, CapturedMail } from "./CapturedMail.ts"
export type { MailFilter } from "./MailFilter.ts"
export type { OutcomeName, ScriptedOutcome } from "./ScriptedOutcome.ts"
export type { DurationInput } from "./DurationInput.ts"
