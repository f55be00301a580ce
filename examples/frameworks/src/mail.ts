/**
 * The mail of the product. Importing this file opens nothing: the first call or the first request opens the mail.
 */
import process from "node:process"
import { MailServer } from "@mailkeep/http"
import { lazyMail, memory, sqlite, stub } from "mailkeep"

const file = process.env["MAIL_FILE"]

// A product uses `smtp(process.env["SMTP_URL"])` instead of `stub()`, which sends nothing.
export const mail = lazyMail({
  store: file === undefined ? memory() : sqlite(file),
  transport: stub(),
  domains: ["shop.example"]
})

const { handler, dispose } = MailServer.fetchHandler(mail, { basePath: "/mail", docs: false })

/** Answers a web-standard request to a path below `/mail`. */
export const handleMail = handler

/** Finishes the work under way. */
export const closeMail = async (): Promise<void> => {
  await dispose()
  await mail.close()
}
