/**
 * Deno: the handler answers the requests of `Deno.serve`. Run `deno run -A src/deno.ts`.
 */
import process from "node:process"
import { handleMail, mail } from "./mail.ts"

/** The part of Deno that this file uses. Deno itself brings the whole types. */
declare const Deno: {
  readonly serve: (
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handler: (request: Request) => Response | Promise<Response>
  ) => { readonly addr: { readonly port: number } }
}

// Hands over what the previous run has left.
await mail.open()

const { addr } = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith("/mail/")) return handleMail(request)
  if (pathname === "/") return Response.json({ shop: "open" })
  return Response.json({ error: "There is no such page." }, { status: 404 })
})

const { secret } = await mail.apiKeys.create({ permissions: ["email.send", "email.full_access"] })
process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${addr.port}`, apiKey: secret })}\n`)
