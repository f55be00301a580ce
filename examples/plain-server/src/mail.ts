/**
 * The mail of the product as plain async functions. This is the only file that names Effect.
 */
import type { SendInput } from "@mailkeep/core"
import { ApiKeys, Domains, MailCore, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { MailServer } from "@mailkeep/http"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Fiber, Layer, ManagedRuntime, Redacted } from "effect"

const project = "prj_shop"

export interface Mail {
  /** The HTTP interface of Mailkeep, below `/mail`. */
  readonly handler: (request: Request) => Promise<Response>
  /** Accepts a message. Rejects when the message is wrong; see `InvalidArgument`. */
  readonly send: (input: SendInput, idempotencyKey: string) => Promise<{ readonly messageId: string }>
  readonly createApiKey: () => Promise<string>
  /** Finishes the hand-offs under way, then closes the file. */
  readonly close: () => Promise<void>
}

export const openMail = async (filename: string): Promise<Mail> => {
  const adapters = Layer.mergeAll(
    SqliteMailStore.layer({ filename }),
    StubTransport.layer(),
    PlanSource.layerFixed({}),
    NodeCrypto.layer
  )
  const core = ManagedRuntime.make(MailCore.layerWith({ graceMillis: 2000 }).pipe(Layer.provideMerge(adapters)))
  await core.runPromise(Domains.use((domains) => domains.ensure(project, { domain: "shop.example", verified: true })))
  const background = core.runFork(MailCore.run)
  const { handler, dispose } = MailServer.fetchHandler(core, { basePath: "/mail", docs: false })
  return {
    handler,
    send: (input, idempotencyKey) =>
      core.runPromise(Sending.use((sending) => sending.send(project, input, { idempotencyKey }))),
    createApiKey: async () => {
      const { secret } = await core.runPromise(
        ApiKeys.use((keys) => keys.create(project, { name: "shop", permissions: ["email.send", "email.full_access"] }))
      )
      return Redacted.value(secret)
    },
    close: async () => {
      await dispose()
      await core.runPromise(Fiber.interrupt(background))
      await core.dispose()
    }
  }
}
