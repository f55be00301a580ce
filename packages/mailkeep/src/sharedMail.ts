/**
 * One mail for each name in the process, however often a module is loaded. Source: decision 0047.
 */
import type { Mail } from "./Mail.ts"
import type { MailOptions } from "./MailOptions.ts"
import { makeMail } from "./openMail.ts"

/** Survives a hot reload, which loads this module again. */
const registryKey = Symbol.for("mailkeep/sharedMail")

const registry = (): Map<string, Mail> => {
  const holder = globalThis as { [registryKey]?: Map<string, Mail> }
  return (holder[registryKey] ??= new Map())
}

/**
 * The mail with this name in this process. The first call makes it as `lazyMail` does, so that a build opens no file. Each later call returns the same
 * mail and does not use its options, also after a hot reload. After `close`, the next call makes a new one. Throws as `lazyMail` does.
 *
 * @example
 * ```ts
 * import { memory, sharedMail, stub } from "mailkeep"
 *
 * const load = () => sharedMail("acme", () => ({ store: memory(), transport: stub(), domains: ["acme.example"] }))
 * console.log(load() === load()) // true
 * await load().close()
 * ```
 */
export const sharedMail = (name: string, options: MailOptions | (() => MailOptions)): Mail => {
  const mails = registry()
  const existing = mails.get(name)
  if (existing !== undefined) return existing
  const mail = makeMail(typeof options === "function" ? options() : options, () => {
    if (mails.get(name) === mail) mails.delete(name)
  })
  mails.set(name, mail)
  return mail
}
