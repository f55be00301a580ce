/**
 * The client as a service of Effect: the same methods, as effects and streams. An interruption aborts the request.
 *
 * @example
 * ```ts
 * import { MailClient } from "@mailkeep/http/client/effect"
 * import { Effect, Redacted } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const mail = yield* MailClient
 *   return yield* mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
 * }).pipe(
 *   Effect.catchTag("MailUnreachable", ({ message }) => Effect.logWarning(message)),
 *   Effect.provide(MailClient.layer({ url: "https://mail.acme.example", apiKey: Redacted.make("mk_live_1") }))
 * )
 * ```
 */
import type { CallOptions, ProjectHandle } from "@mailkeep/core/handle"
import { Config, Context, Effect, Layer, Redacted, Stream } from "effect"
import type { ConnectMailOptions } from "./connectMail.ts"
import { connectMail } from "./connectMail.ts"
import type { MailClientFailure } from "./failures.ts"

export type { ConnectMailOptions } from "./connectMail.ts"
export { MailUnreachable, UnexpectedResponse } from "./failures.ts"
export type { MailClientFailure } from "./failures.ts"

/** The parameters without the last one, which has the options of the call. */
type WithoutOptions<P> = P extends readonly [options?: CallOptions | undefined]
  ? []
  : P extends readonly [a: infer A, options?: CallOptions | undefined]
    ? [a: A]
    : P extends readonly [a?: infer A, options?: CallOptions | undefined]
      ? [a?: A]
      : P extends readonly [a: infer A, b: infer B, options?: CallOptions | undefined]
        ? [a: A, b: B]
        : P extends readonly [a: infer A, b?: infer B, options?: CallOptions | undefined]
          ? [a: A, b?: B]
          : never

/** A handle whose methods return effects instead of promises, and streams instead of async iterables. */
export type WithEffects<Handle> = Handle extends (...args: infer P) => Promise<infer A>
  ? (...args: WithoutOptions<P>) => Effect.Effect<A, MailClientFailure>
  : Handle extends (...args: infer P) => AsyncIterable<infer A>
    ? (...args: WithoutOptions<P>) => Stream.Stream<A, MailClientFailure>
    : { readonly [Name in keyof Handle]: WithEffects<Handle[Name]> }

/** The methods of the client, with effects. */
export interface MailClientShape extends WithEffects<ProjectHandle> {}

/** The options of the client, with an API key that no log shows. */
export interface MailClientOptions extends Omit<ConnectMailOptions, "apiKey" | "signal"> {
  /** The secret of an API key. The project of the key is the project of the client. */
  readonly apiKey: Redacted.Redacted<string>
}

/** Whether the error is a failure of a call. Any other error is a bug, and becomes a defect. */
const isFailure = (error: unknown): error is MailClientFailure =>
  error instanceof Error && "_tag" in error && "kind" in error && "isRetryable" in error

const failOrDie = (error: unknown): Effect.Effect<never, MailClientFailure> =>
  isFailure(error) ? Effect.fail(error) : Effect.die(error)

type Method = (...args: ReadonlyArray<unknown>) => Promise<unknown> | AsyncIterable<unknown>

/** The parameters of each method end with the options. */
const call = (method: Method, args: ReadonlyArray<unknown>, signal: AbortSignal) =>
  method(...Array.from({ length: method.length - 1 }, (_, at) => args[at]), { signal })

/** The iterable, whose early end also aborts the request under way. */
const abortable = (open: (signal: AbortSignal) => AsyncIterable<unknown>): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    const controller = new AbortController()
    const iterator = open(controller.signal)[Symbol.asyncIterator]()
    return {
      next: () => iterator.next(),
      return: async () => {
        controller.abort()
        await iterator.return?.()
        return { done: true, value: undefined }
      }
    }
  }
})

const streaming = (method: Method, args: ReadonlyArray<unknown>): Stream.Stream<unknown, MailClientFailure> =>
  Stream.fromAsyncIterable(
    abortable((signal) => call(method, args, signal) as AsyncIterable<unknown>),
    (error) => error
  ).pipe(Stream.catch((error) => Stream.fromEffect(failOrDie(error))))

const running = (method: Method, args: ReadonlyArray<unknown>): Effect.Effect<unknown, MailClientFailure> =>
  Effect.tryPromise({
    try: (signal) => call(method, args, signal) as Promise<unknown>,
    catch: (error) => error
  }).pipe(Effect.catch(failOrDie))

const isStreaming = (name: string): boolean => name.startsWith("each")

const withEffects = (handle: object): object =>
  Object.fromEntries(
    Object.entries(handle).map(([name, member]: [string, Method | object]) => [
      name,
      typeof member === "object"
        ? withEffects(member)
        : (...args: ReadonlyArray<unknown>) =>
            isStreaming(name) ? streaming(member as Method, args) : running(member as Method, args)
    ])
  )

/**
 * The project of an API key over HTTP.
 *
 * @example
 * ```ts
 * import { MailClient } from "@mailkeep/http/client/effect"
 * import { Effect, Stream } from "effect"
 *
 * // The addresses whose mail bounced.
 * export const bounced = Effect.gen(function* () {
 *   const { deliveries } = yield* MailClient
 *   return yield* deliveries.each({ status: "bounced" }).pipe(Stream.map(({ recipient }) => recipient), Stream.runCollect)
 * })
 * ```
 */
export class MailClient extends Context.Service<MailClient, MailClientShape>()("@mailkeep/http/client/MailClient") {
  /** Makes the client from its options. Sends no request. An option of another form is a defect. */
  static readonly layer = ({ apiKey, ...options }: MailClientOptions): Layer.Layer<MailClient> =>
    Layer.sync(
      MailClient,
      () => withEffects(connectMail({ ...options, apiKey: Redacted.value(apiKey) })) as MailClientShape
    )

  /** Reads the options `url` and `apiKey` from the configuration: `MAILKEEP_URL` and `MAILKEEP_API_KEY`. */
  static readonly layerConfig = (
    options: Omit<MailClientOptions, "url" | "apiKey"> = {}
  ): Layer.Layer<MailClient, Config.ConfigError> =>
    Layer.unwrap(
      Effect.map(
        Config.all({ url: Config.String("MAILKEEP_URL"), apiKey: Config.Redacted("MAILKEEP_API_KEY") }),
        (configured) => MailClient.layer({ ...options, ...configured })
      )
    )
}
