/**
 * A mail for tests, a folder for its file, and the signals that a test waits for.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Mail, MailOptions } from "../src/index.ts"
import { memory, openMail, stub } from "../src/index.ts"

export const welcome = { from: "Acme <hi@acme.example>", to: "ada@example.org", subject: "Welcome", text: "Hello." }

/** The options of a mail that does no work by itself. */
export const quiet = (options: Partial<MailOptions> = {}): MailOptions => ({
  store: memory(),
  transport: stub(),
  domains: ["acme.example"],
  background: false,
  ...options
})

/** A mail that the end of the test closes. */
export const openQuiet = async (options: Partial<MailOptions> = {}): Promise<Mail> => {
  const mail = await openMail(quiet(options))
  onTestFinished(mail.close)
  return mail
}

/** The path of a file in a folder that the end of the test removes. */
export const temporaryFile = (name = "mail.db"): string => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-open-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}

/** The reason with which a promise rejects. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("The promise resolved.")
    },
    (reason: unknown) => reason
  )

/** A promise that the test resolves. */
export const signal = <A = void>() => Promise.withResolvers<A>()

/** All items of an async iterable. */
export const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const item of items) found.push(item)
  return found
}
