/**
 * The small product that every runtime runs: it sends with a memory or SQLite store, does one turn of work, and reads the log.
 */

/** The stores of the small product. */
export const firstMailStores = ["memory", "SQLite"] as const
export type FirstMailStore = (typeof firstMailStores)[number]

/** What the small product prints. */
export const firstMailPrints = "ada@example.org delivered\n"

/**
 * A program without types. Its working folder has the file of the SQLite store. The single quotes keep its import out of the layer rules.
 */
export const firstMailProgram = (store: FirstMailStore): string => `
import { memory, openMail, sqlite, stub } from 'mailkeep'

const mail = await openMail({
  store: ${store === "memory" ? "memory()" : 'sqlite("first.db")'},
  transport: stub(),
  domains: ["acme.example"],
  from: "hi@acme.example",
  background: false
})
await mail.send({ to: "ada@example.org", subject: "Welcome", text: "Hello.", idempotencyKey: "welcome:1" })
await mail.tick()
for await (const { recipient, status } of mail.deliveries.each()) console.log(recipient, status)
await mail.close()
`

/** A sentence about a run that failed. */
export const firstMailComplaint = (
  runtime: string,
  store: FirstMailStore,
  { output, problem }: { readonly output: string; readonly problem: string | undefined }
): ReadonlyArray<string> => {
  if (problem !== undefined) return [`The ${store} store does not work in ${runtime}: the small product ${problem}`]
  return output === firstMailPrints
    ? []
    : [`The ${store} store does not work in ${runtime}: the small product prints "${output.trim()}".`]
}
