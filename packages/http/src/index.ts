/** The interface over HTTP. */
export { MailApi } from "./api/MailApi.ts"
export * as MailServer from "./server/MailServer.ts"
