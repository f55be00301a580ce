/**
 * Bun: the handler is a route of `Bun.serve`. Run `bun src/bun.ts`.
 */
import { handleMail, mail } from "./mail.ts"

/** The part of Bun that this file uses. A product installs `@types/bun` instead. */
declare const Bun: {
  readonly serve: (options: {
    readonly port: number
    readonly hostname: string
    readonly routes: Readonly<Record<string, (request: Request) => Response | Promise<Response>>>
    readonly fetch: (request: Request) => Response
  }) => { readonly url: URL }
}

// Hands over what the previous run has left.
await mail.open()

const { url } = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: { "/": () => Response.json({ shop: "open" }), "/mail/*": handleMail },
  fetch: () => Response.json({ error: "There is no such page." }, { status: 404 })
})

const { secret } = await mail.apiKeys.create({ permissions: ["email.send", "email.full_access"] })
process.stdout.write(`${JSON.stringify({ address: url.origin, apiKey: secret })}\n`)
