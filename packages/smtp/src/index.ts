/**
 * The transports: `SmtpTransport`, which hands mail over to a relay by SMTP, and `StubTransport`, which sends nothing and answers by a script.
 *
 * @example
 * ```ts
 * import { Transport } from "@mailkeep/core"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect } from "effect"
 *
 * const layer = StubTransport.layer({ script: [{ recipient: /@gone\.example$/, acts: [{ act: "refuse" }] }] })
 * const program = Effect.map(Transport, ({ capabilities }) => capabilities.confirmsDelivery)
 * console.log(Effect.runSync(Effect.provide(program, layer))) // true
 * ```
 */
export { mimeMessage } from "./mimeMessage.ts"
export type { MimeMessage, MimeMessageOptions, MimeRefusal } from "./mimeMessage.ts"
export * as SmtpTransport from "./SmtpTransport.ts"
export type {
  AccessTokenAuth,
  CertificateOptions,
  PasswordAuth,
  RelayFeatures,
  SmtpAuth,
  SmtpOptions,
  SmtpPoolOptions,
  SmtpTimeoutOptions,
  SmtpUrlOptions,
  TlsMode
} from "./SmtpTransport.ts"
export { StubTransport } from "./stub.ts"
export type { StubAct, StubOptions, StubRule, CapturedMessage } from "./stub.ts"
