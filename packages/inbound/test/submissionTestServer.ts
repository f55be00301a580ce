/**
 * The submission listener over real sockets, with a core and a clock that the tests move.
 */
import type { CreateApiKeyInput } from "@mailkeep/core"
import { ApiKeys } from "@mailkeep/core"
import type { StoreUnderTest, TestMail, TestMailOptions } from "@mailkeep/test-support"
import { openTestMail, project, stores } from "@mailkeep/test-support"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { SmtpSubmissionOptions } from "../src/index.ts"
import { SmtpSubmission } from "../src/index.ts"
import type { SmtpClient } from "./smtpClient.ts"
import { plainResponse, smtpClient } from "./smtpClient.ts"

export interface SubmissionTestServer {
  readonly port: number
  readonly listener: SmtpSubmission["Service"]
  /** The secret of an API key that may send. */
  readonly apiKey: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, TestMail>) => Promise<A>
  readonly apiKeyWith: (input: Partial<CreateApiKeyInput>) => Promise<string>
  /** A client after `EHLO` and `AUTH`. */
  readonly client: (apiKey?: string) => Promise<SmtpClient>
  /** Stops the listener like the end of its process. */
  readonly stop: () => Promise<void>
  readonly close: () => Promise<void>
}

export const openSubmissionTestServer = async (
  options: Partial<SmtpSubmissionOptions> = {},
  mailOptions: TestMailOptions = {},
  store: StoreUnderTest = stores[0],
  logger: Layer.Layer<never> = Layer.empty
): Promise<SubmissionTestServer> => {
  const mail = await openTestMail(store, mailOptions)
  const services = Layer.succeedContext(await mail.context())
  const server = ManagedRuntime.make(
    SmtpSubmission.layer({ port: 0, hostName: "mail.test", ...options }).pipe(
      Layer.provideMerge(logger),
      Layer.provideMerge(services)
    )
  )
  const listener = await server.runPromise(SmtpSubmission).catch(async (failure: unknown) => {
    await mail.dispose()
    throw failure
  })
  const run = <A, E>(effect: Effect.Effect<A, E, TestMail>) => mail.runPromise(effect)
  const apiKeyWith = (input: Partial<CreateApiKeyInput>) =>
    run(
      Effect.map(
        Effect.flatMap(ApiKeys, (apiKeys) => apiKeys.create(project, { permissions: ["email.send"], ...input })),
        ({ secret }) => Redacted.value(secret)
      )
    )
  const apiKey = await apiKeyWith({})
  return {
    port: listener.port,
    listener,
    apiKey,
    run,
    apiKeyWith,
    client: async (secret = apiKey) => {
      const client = await smtpClient(listener.port)
      await client.command("EHLO client.test")
      await client.command(`AUTH PLAIN ${plainResponse("apikey", secret)}`)
      return client
    },
    stop: () => server.dispose(),
    close: async () => {
      await server.dispose()
      await mail.dispose()
    }
  }
}

/** A message with some header fields and a body, with CR LF. */
export const messageOf = (fields: ReadonlyArray<string>, body = "Hi"): string => [...fields, "", body, ""].join("\r\n")

/** The fields of a valid message. */
export const validFields = ["From: Shop <shop@example.com>", "To: ada@example.org", "Subject: Hello"]

/** Sends a message over a client that has authenticated, and returns the last reply. */
export const submit = async (
  client: SmtpClient,
  message: string,
  recipients: ReadonlyArray<string> = ["ada@example.org"]
): Promise<string> => {
  await client.command("MAIL FROM:<bounce@example.com>")
  for (const recipient of recipients) await client.command(`RCPT TO:<${recipient}>`)
  await client.command("DATA")
  return client.command(`${message.replace(/^\./gm, "..")}.`)
}
