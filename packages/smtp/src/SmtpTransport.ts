/**
 * The transport that hands mail over to a relay by SMTP (RFC 5321), on nodemailer's SMTP client and composer.
 */
import type { TransportShape } from "@mailkeep/core/adapter"
import { Transport, TransportUnavailable } from "@mailkeep/core/adapter"
import { given } from "@mailkeep/core/options"
import type { Scope } from "effect"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { makeConnectionPool } from "./connectionPool.ts"
import type { RelayConnection } from "./RelayConnection.ts"
import type { RelayFeatures } from "./relayFeatures.ts"
import type { RelayRefused } from "./replies.ts"
import type { SmtpOptions, SmtpOptionsInvalid } from "./SmtpOptions.ts"
import { settingsOf } from "./smtpSettings.ts"
import { parseSmtpUrl } from "./smtpUrl.ts"

export { RelayRefused } from "./replies.ts"
export type { RelayFeatures } from "./relayFeatures.ts"
export { SmtpOptionsInvalid } from "./SmtpOptions.ts"
export type {
  AccessTokenAuth,
  CertificateOptions,
  PasswordAuth,
  SmtpAuth,
  SmtpOptions,
  SmtpPoolOptions,
  SmtpTimeoutOptions,
  TlsMode
} from "./SmtpOptions.ts"
export { parseSmtpUrl } from "./smtpUrl.ts"
export type { SmtpUrlOptions } from "./smtpUrl.ts"

/** The SMTP transport, with a check of its relay. */
export interface SmtpTransportShape extends TransportShape {
  /**
   * Opens a connection of its own, encrypts it, logs in, and returns what the relay offers. Sends no mail. Fails with `RelayRefused` when the relay
   * refuses the connection or the login, and with `TransportUnavailable` when there is no answer within 2 minutes.
   */
  readonly check: Effect.Effect<RelayFeatures, RelayRefused | TransportUnavailable>
}

const checkSeconds = 120

/** Loads nodemailer only for a program that uses this transport. It takes a tenth of a second. */
const client = Effect.promise(async () => ({
  ...(await import("./handOff.ts")),
  ...(await import("./openConnection.ts"))
}))

const checkRelay = (
  open: Effect.Effect<RelayConnection, RelayRefused | TransportUnavailable>
): SmtpTransportShape["check"] =>
  Effect.acquireUseRelease(
    Effect.interruptible(open),
    ({ features }) => Effect.succeed(features),
    (connection) => Effect.sync(() => connection.quit())
  ).pipe(
    Effect.timeoutOrElse({
      duration: Duration.seconds(checkSeconds),
      orElse: () => Effect.fail(new TransportUnavailable({ reason: "The relay did not answer in time." }))
    })
  )

/**
 * So many hand-offs share a connection at once: while one waits for the relay, the store commits the other. More would wait for a connection so long that
 * the deadline could end them after their end of data.
 */
const handOffsOfConnection = 2

/**
 * Makes an SMTP transport. Connects when there is a message to hand over. The end of the scope closes the connections. Fails with
 * `SmtpOptionsInvalid` when the options are wrong.
 */
export const make = (options: SmtpOptions): Effect.Effect<SmtpTransportShape, SmtpOptionsInvalid, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* Effect.fromResult(settingsOf(options))
    const { handOffBy, openConnection } = yield* client
    const pool = yield* makeConnectionPool((register) => openConnection(settings, register), settings.pool)
    return {
      capabilities: {
        confirmsDelivery: settings.confirmsDelivery,
        signalsFinalize: true,
        idempotentHandOff: false,
        maxMessageBytes: settings.maxMessageBytes,
        smtpUtf8: settings.smtpUtf8,
        handOffsAtOnceMax: handOffsOfConnection * settings.pool.connectionsMax
      },
      handOff: (handOff) => handOffBy(pool, settings, handOff),
      check: checkRelay(openConnection(settings))
    }
  })

/**
 * The service of this transport: `Transport`, and a check of the relay that sends nothing.
 *
 * @example
 * ```ts no-run It needs a relay at that address.
 * import { SmtpTransport } from "@mailkeep/smtp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { check } = yield* SmtpTransport.SmtpTransport
 *   const { tlsVersion, authenticated, sizeMax } = yield* check
 *   return `${tlsVersion}, logged in: ${authenticated}, at most ${sizeMax} bytes`
 * })
 * const layer = SmtpTransport.layerFromUrl("smtps://shop:password@relay.example")
 * console.log(await Effect.runPromise(Effect.provide(program, layer)))
 * ```
 */
export class SmtpTransport extends Context.Service<SmtpTransport, SmtpTransportShape>()(
  "@mailkeep/smtp/SmtpTransport"
) {}

/**
 * Provides the transport as `Transport` and as `SmtpTransport`. Fails with `SmtpOptionsInvalid` when the options are wrong.
 *
 * @example
 * ```ts
 * import { Transport } from "@mailkeep/core"
 * import { SmtpTransport } from "@mailkeep/smtp"
 * import { Effect, Redacted } from "effect"
 *
 * const layer = SmtpTransport.layer({
 *   host: "relay.example",
 *   auth: { user: "shop", password: Redacted.make("password") },
 *   maxMessageBytes: 20_000_000
 * })
 * const program = Effect.map(Transport, ({ capabilities }) => capabilities.maxMessageBytes)
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // 20000000
 * ```
 */
export const layer = (options: SmtpOptions): Layer.Layer<Transport | SmtpTransport, SmtpOptionsInvalid> =>
  Layer.effectContext(
    Effect.map(make(options), (transport) =>
      Context.make(Transport, transport).pipe(Context.add(SmtpTransport, transport))
    )
  )

/**
 * Provides the transport for the relay at a URL, such as `smtp://user:password@relay.example:587`; see `parseSmtpUrl`. The options are added to
 * those of the URL, and replace them. An option that is `undefined` replaces nothing. Fails with `SmtpOptionsInvalid` when the URL is wrong; the
 * failure does not contain the URL.
 *
 * @example
 * ```ts
 * import { SmtpTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const layer = SmtpTransport.layerFromUrl("smtp://shop:pass/word@relay.example")
 * const failure = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
 * console.log(failure.message) // The options of the SMTP transport are invalid
 * ```
 */
export const layerFromUrl = (
  url: string | Redacted.Redacted<string>,
  options: Partial<SmtpOptions> = {}
): Layer.Layer<Transport | SmtpTransport, SmtpOptionsInvalid> =>
  Layer.unwrap(
    Effect.map(Effect.fromResult(parseSmtpUrl(Redacted.isRedacted(url) ? Redacted.value(url) : url)), (parsed) =>
      layer({ ...parsed, ...given(options) })
    )
  )
