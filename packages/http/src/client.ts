/**
 * A client of the interface over HTTP with the methods of an embedded project: code with a `ProjectHandle` works with both. Needs only a web-standard
 * `fetch`: no Node, and Effect only when a call fails.
 *
 * @example
 * ```ts no-run It needs a server and its API key.
 * import { connectMail } from "@mailkeep/http/client"
 *
 * const mail = connectMail({ url: process.env["MAIL_URL"]!, apiKey: process.env["MAIL_API_KEY"]!, from: "hi@acme.example" })
 * await mail.send({ to: "ada@example.org", subject: "Welcome", text: "Hello.", idempotencyKey: "welcome:ada" })
 * for await (const { recipient, status } of mail.deliveries.each({ status: "bounced" })) console.log(recipient, status)
 * ```
 */
export { connectMail } from "./client/connectMail.ts"
export type { ConnectMailOptions } from "./client/connectMail.ts"
export { isMailClientFailure, MailUnreachable, UnexpectedResponse } from "./client/failures.ts"
export type { MailClientFailure } from "./client/failures.ts"
export type { Fetch } from "./client/requests.ts"
export type * from "@mailkeep/core/handle"
