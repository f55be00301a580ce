/**
 * The transport that the flags choose: the stub, or a relay over SMTP.
 */
import { SmtpTransport, StubTransport } from "@mailkeep/smtp"
import type { SmtpOptions } from "@mailkeep/smtp"
import type { Transport } from "@mailkeep/core"
import type { Layer } from "effect"
import { Redacted } from "effect"
import type { TransportChoice } from "./mailFlags.ts"

/** The stub sends nothing, so a second hand-off after a crash sends no second message and need not wait. */
const stub = (keepsMail: boolean) =>
  StubTransport.layer({
    ...(keepsMail ? { keep: 1000, keepBytes: 32 * 1024 * 1024 } : { keep: 0 }),
    capabilities: { idempotentHandOff: true }
  })

/** The login of the environment, which replaces that of the URL. */
const login = (): Partial<SmtpOptions> => {
  const user = process.env["MAILKEEP_SMTP_USER"] ?? ""
  const password = process.env["MAILKEEP_SMTP_PASSWORD"] ?? ""
  return user === "" && password === "" ? {} : { auth: { user, password: Redacted.make(password) } }
}

/** The transport of a relay, with its check. */
export const relayAt = (url: Redacted.Redacted<string>) => SmtpTransport.layerFromUrl(url, login())

/** `keepsMail`: the stub keeps the newest mail for the mailbox. */
export const transportLayer = (
  choice: TransportChoice,
  keepsMail: boolean
): Layer.Layer<Transport, SmtpTransport.SmtpOptionsInvalid> => (choice === "stub" ? stub(keepsMail) : relayAt(choice))
