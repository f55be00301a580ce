/**
 * The SMTP listener by which a product hands in mail. Source: RFC 6409; decision 0017.
 */
import type { Access, Sending } from "@mailkeep/core"
import { Context, Effect, Layer } from "effect"
import { isLoopbackHost } from "@mailkeep/core/binding"
import { assertOptions, flagOption, given, optionsOf } from "@mailkeep/core/options"
import { submissionLimits } from "../listener/limits.ts"
import type { Listener, ListenerOptions } from "../listener/listener.ts"
import { ListenerNotStarted, openListener } from "../listener/listener.ts"
import { listenerRules } from "../listener/listenerOptionsRule.ts"
import { makeSubmissionHandler } from "./submissionHandler.ts"

/** The options of the submission listener. */
export interface SmtpSubmissionOptions extends ListenerOptions {
  /**
   * Whether an API key may cross a network without TLS; default no. Without TLS, only clients on this machine may authenticate. Set it only
   * if something else encrypts the connections, such as a proxy in front of the listener.
   */
  readonly allowsClearApiKey?: boolean
}

const rule = optionsOf<SmtpSubmissionOptions>(
  { ...listenerRules, allowsClearApiKey: flagOption },
  { owner: "SmtpSubmission", required: ["port"] }
)

/**
 * Takes mail over SMTP from products that speak only SMTP. The user is `apikey` and the password is an API key. The rules are the rules of the
 * interface over HTTP. A message is stored before the client gets 250.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { SmtpSubmission } from "@mailkeep/inbound"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const server = SmtpSubmission.layer({ port: 0 }).pipe(Layer.provide(MailCore.layer), Layer.provide(adapters))
 * const program = Effect.map(SmtpSubmission, ({ host, port }) => console.log(host, port > 0)) // 127.0.0.1 true
 * await Effect.runPromise(Effect.provide(program, server))
 * ```
 */
export class SmtpSubmission extends Context.Service<SmtpSubmission, Listener>()("@mailkeep/inbound/SmtpSubmission") {
  /**
   * Listens until its scope closes. Then it finishes the messages that are being received, within `graceMillis`. Fails with
   * `ListenerNotStarted`. An option that is not valid is a defect: a `TypeError` that names the option.
   */
  static readonly layer = (
    options: SmtpSubmissionOptions
  ): Layer.Layer<SmtpSubmission, ListenerNotStarted, Access | Sending> =>
    Layer.effect(
      SmtpSubmission,
      Effect.gen(function* () {
        assertOptions(rule, options)
        const { allowsClearApiKey = false, ...listener } = given(options)
        if (listener.tls === undefined && !allowsClearApiKey && !isLoopbackHost(listener.host ?? "127.0.0.1"))
          return yield* new ListenerNotStarted({ reason: "tls" })
        return yield* openListener({
          options: listener,
          limits: { ...submissionLimits, ...listener },
          protocol: "smtp",
          needsApiKey: true,
          allowsClearApiKey,
          handler: yield* makeSubmissionHandler
        })
      })
    )
}
