/**
 * Opens a connection to the relay: name, TCP, greeting, TLS and login.
 */
import type { TransportUnavailable } from "@mailkeep/core/adapter"
import { timerMillisMax } from "@mailkeep/core/options"
import { Effect, Redacted } from "effect"
import type { SMTPConnectionCustomAuthHandler, SMTPConnectionOptions } from "nodemailer/lib/smtp-connection"
import type { TokenLogin } from "./accessToken.ts"
import { RelayConnection } from "./RelayConnection.ts"
import { relayCommand } from "./relayCommand.ts"
import type { RelayRefused } from "./replies.ts"
import { failureOf, unavailable, unavailableBecause } from "./replies.ts"
import type { PasswordAuth } from "./SmtpOptions.ts"
import type { SmtpSettings } from "./smtpSettings.ts"

type OpenFailure = RelayRefused | TransportUnavailable

/** The name of the login for nodemailer. It would replace `XOAUTH2` by the first mechanism that the relay offers. */
const accessTokenMethod = "ACCESS-TOKEN"

/** Sends the token of `auth.token`. The relay answers a wrong token with 334 and the reason, and then waits for an empty line. */
const sendAccessToken: SMTPConnectionCustomAuthHandler = async ({ auth, sendCommand }) => {
  const token = Redacted.value(auth["token"] as Redacted.Redacted<string>)
  const response = Buffer.from(`user=${auth.user}\u0001auth=Bearer ${token}\u0001\u0001`).toString("base64")
  const first = await sendCommand(`AUTH XOAUTH2 ${response}`)
  const last = first.status === 334 ? await sendCommand("") : first
  if (last.status !== 235) throw new Error("The relay refused the access token.")
}

const clientOptions = ({
  host,
  port,
  tls,
  certificate,
  clientName,
  timeouts
}: SmtpSettings): SMTPConnectionOptions => ({
  host,
  port,
  secure: tls === "implicit",
  requireTLS: tls === "required",
  opportunisticTLS: tls === "opportunistic",
  ignoreTLS: tls === "off",
  tls: {
    rejectUnauthorized: certificate.rejectUnauthorized ?? true,
    ...(certificate.ca === undefined ? {} : { ca: [certificate.ca].flat() as Array<string> }),
    ...(certificate.servername === undefined ? {} : { servername: certificate.servername })
  },
  ...(clientName === null ? {} : { name: clientName }),
  // This time covers everything up to the end of STARTTLS. The time for the connection alone is checked below.
  connectionTimeout: Math.min(
    timeouts.connectMillis + timeouts.greetingMillis * 2 + timeouts.commandMillis,
    timerMillisMax
  ),
  dnsTimeout: timeouts.connectMillis,
  greetingTimeout: timeouts.greetingMillis,
  socketTimeout: timeouts.commandMillis,
  customAuth: { [accessTokenMethod]: sendAccessToken }
})

const connected = (connection: RelayConnection, connectMillis: number): Effect.Effect<void, OpenFailure> =>
  Effect.callback((resume) => {
    const { client } = connection
    const stop = connection.run(
      (done) => client.connect(done),
      (error) => {
        if (error !== null) return resume(Effect.fail(failureOf(error, "greeting")))
        connection.readFeatures()
        resume(Effect.void)
      }
    )
    AbortSignal.timeout(connectMillis).addEventListener("abort", () => {
      if (client.stage !== "init") return
      stop()
      resume(Effect.fail(unavailableBecause({ code: "ETIMEDOUT", timeoutType: "CONNECT_TIMEOUT" })))
    })
    return Effect.sync(stop)
  })

const loggedIn = (connection: RelayConnection, auth: object): Effect.Effect<void, OpenFailure> =>
  relayCommand(connection, "auth", (done) => connection.client.login({ ...auth }, done))

const noCommonMethod = Effect.fail(unavailableBecause({ code: "EAUTH" }))

const logInWithPassword = (connection: RelayConnection, { user, password, method }: PasswordAuth) => {
  const offered = ["PLAIN", "LOGIN"].filter((name) => connection.features.authMethods.includes(name))
  const chosen = method === undefined ? offered[0] : offered.find((name) => name === method)
  return chosen === undefined
    ? noCommonMethod
    : Effect.suspend(() => loggedIn(connection, { method: chosen, user, pass: Redacted.value(password) }))
}

const logInWithToken = (connection: RelayConnection, { user, token }: TokenLogin): Effect.Effect<void, OpenFailure> => {
  const logIn = (options: { readonly renew: boolean }) =>
    Effect.flatMap(token(options), (given) => loggedIn(connection, { method: accessTokenMethod, user, token: given }))
  if (!connection.features.authMethods.includes("XOAUTH2")) return noCommonMethod
  // A relay may close the connection after a refusal. The refusal then says more than the lost connection.
  const logInAgain = (refused: RelayRefused) =>
    Effect.catchTag(logIn({ renew: true }), "TransportUnavailable", (failure) =>
      Effect.fail(connection.ended ? refused : failure)
    )
  return Effect.catchTag(logIn({ renew: false }), "RelayRefused", (refused) =>
    refused.reply.smtpCode === 535 ? logInAgain(refused) : Effect.fail(refused)
  )
}

const logIn = (
  connection: RelayConnection,
  { auth, allowPlaintextAuth }: SmtpSettings
): Effect.Effect<void, OpenFailure> => {
  if (auth === null) return Effect.void
  if (!connection.client.secure && !allowPlaintextAuth)
    return Effect.fail(unavailable("The connection is not encrypted, so the transport does not log in.", "encryption"))
  const login = "token" in auth ? logInWithToken(connection, auth) : logInWithPassword(connection, auth)
  return Effect.andThen(
    login,
    Effect.sync(() => {
      connection.features = { ...connection.features, authenticated: true }
    })
  )
}

/** Opens a connection and logs in. Gives the connection to `register` first. Closes the connection when it fails or is interrupted. */
export const openConnection = (
  settings: SmtpSettings,
  register: (connection: RelayConnection) => void = () => {}
): Effect.Effect<RelayConnection, OpenFailure> =>
  Effect.suspend(() => {
    const connection = new RelayConnection(clientOptions(settings))
    register(connection)
    return connected(connection, settings.timeouts.connectMillis).pipe(
      Effect.andThen(Effect.suspend(() => logIn(connection, settings))),
      Effect.as(connection),
      Effect.onError(() => Effect.sync(() => connection.destroy()))
    )
  })
