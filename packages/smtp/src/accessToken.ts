/**
 * Asks the function of the product for an access token. Says when its failures show that the login is wrong. Source: decision 0041.
 */
import type { TransportUnavailable } from "@mailkeep/core/adapter"
import { Duration, Effect, Redacted } from "effect"
import { unavailable } from "./replies.ts"
import type { AccessTokenAuth } from "./SmtpOptions.ts"

/** A user with an access token for each connection. */
export interface TokenLogin {
  readonly user: string
  /** Returns a token. `renew` asks for another one than before. */
  readonly token: (options: {
    readonly renew: boolean
  }) => Effect.Effect<Redacted.Redacted<string>, TransportUnavailable>
}

/** A function without a time limit of its own must not hold up the mail until the deadline of the hand-off. */
const tokenMillisMax = 60_000

/** Failures in a row that show a wrong login. After fewer, the service that issues the tokens may be out of reach for a moment. */
const failuresMax = 5

const isToken = (token: unknown): token is Redacted.Redacted<string> => {
  const text: unknown = Redacted.isRedacted(token) ? Redacted.value(token) : undefined
  return typeof text === "string" && text !== ""
}

/** Makes the login of a transport. */
export const makeTokenLogin = ({ user, accessToken }: AccessTokenAuth): TokenLogin => {
  // Until the first token, one failure is enough: the function has never worked.
  let failures = failuresMax - 1
  const noToken = (reason: string) =>
    Effect.suspend(() => Effect.fail(unavailable(reason, ++failures >= failuresMax ? "login" : undefined)))
  const token = (options: { readonly renew: boolean }) =>
    Effect.suspend(() => {
      const given = accessToken(options)
      return Effect.isEffect(given) ? given : Effect.tryPromise(() => given)
    }).pipe(
      // The error of the product's function may contain a secret. A function without types may return something else.
      Effect.matchCauseEffect({
        onFailure: () => noToken("There is no access token for the relay."),
        onSuccess: (given) =>
          isToken(given) ? Effect.succeed(given) : noToken("There is no access token for the relay.")
      }),
      Effect.timeoutOrElse({
        duration: Duration.millis(tokenMillisMax),
        orElse: () => noToken("No access token for the relay arrived in time.")
      }),
      Effect.tap(() =>
        Effect.sync(() => {
          failures = 0
        })
      )
    )
  return { user, token }
}
