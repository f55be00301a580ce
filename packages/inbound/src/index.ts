/**
 * SMTP listeners of Mailkeep. The service `SmtpSubmission` takes mail from products that speak only SMTP. The service `BounceListener` takes
 * returned mail: bounces and complaints. The function `readReports` reads such mail for a program that receives it elsewhere.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { BounceListener, SmtpSubmission } from "@mailkeep/inbound"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const listeners = Layer.mergeAll(SmtpSubmission.layer({ port: 0 }), BounceListener.layer({ port: 0, protocol: "lmtp" }))
 * const program = Effect.gen(function* () {
 *   console.log((yield* SmtpSubmission).port !== (yield* BounceListener).port) // true
 * })
 * await Effect.runPromise(Effect.provide(program, listeners.pipe(Layer.provide(MailCore.layer), Layer.provide(adapters))))
 * ```
 */
export { SmtpSubmission } from "./submission/SmtpSubmission.ts"
export type { SmtpSubmissionOptions } from "./submission/SmtpSubmission.ts"
export { BounceListener } from "./bounces/BounceListener.ts"
export type { BounceListenerOptions, BounceListenerShape, ReturnedCounts } from "./bounces/BounceListener.ts"
export type { ReturnedMail, ReturnedMessage, ReturnedOutcome } from "./bounces/ReturnedMail.ts"
export { ListenerNotStarted } from "./listener/listener.ts"
export type { Listener, ListenerOptions } from "./listener/listener.ts"
export type { ListenerLimits } from "./listener/limits.ts"
export type { ReadTls, TlsOptions } from "./listener/certificate.ts"
export { readReports } from "./reports/readReports.ts"
export type { ReadReportsOptions } from "./reports/readReports.ts"
export type {
  ComplaintReport,
  DeliveryAction,
  DeliveryStatusReport,
  FeedbackType,
  MailReport,
  MailReportKind,
  MailReports,
  RefusedCommand,
  ReportCorrelation
} from "./reports/MailReport.ts"
