/**
 * A handle whose methods finish the work that is due before they resolve, and whose sends may come from any domain.
 */
import { DomainTaken, SenderDomainNotVerified } from "@mailkeep/core"
import type { EmbeddedProject } from "mailkeep"

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/**
 * An object with the members of `current()`. Each function calls the one of the object that is current at that time; one that returns a promise calls
 * `settle` before the promise resolves.
 */
export const settled = <A extends object>(current: () => A, settle: () => Promise<void>): A => {
  const member = (name: string, value: unknown): unknown => {
    const now = () => (current() as Readonly<Record<string, unknown>>)[name]
    if (isObject(value)) return settled(() => now() as object, settle)
    if (typeof value !== "function") return value
    return (...args: ReadonlyArray<unknown>) => {
      const result = (now() as AnyFunction)(...args)
      return result instanceof Promise ? result.then((answer: unknown) => settle().then(() => answer)) : result
    }
  }
  return Object.fromEntries(Object.entries(current()).map(([name, value]) => [name, member(name, value)])) as A
}

/** Creates the domain as verified. Keeps one that exists, because the test may be about a domain that is not verified. */
const createDomain = async ({ domains }: EmbeddedProject, domain: string): Promise<void> => {
  for await (const existing of domains.each({ search: domain })) if (existing.domain === domain) return
  try {
    await domains.create({ domain, verified: true })
  } catch (cause) {
    if (!(cause instanceof DomainTaken)) throw cause
  }
}

/** The same handle. When the core refuses the domain of a sender, the methods that send create it, and repeat the call. */
export const withAnyDomain = <H extends EmbeddedProject>(handle: H): H => {
  const plan: EmbeddedProject["plan"] = async (input, options) => {
    const planned = await handle.plan(input, options)
    if (!(planned.refusal instanceof SenderDomainNotVerified)) return planned
    await createDomain(handle, planned.refusal.domain)
    return handle.plan(input, options)
  }
  return {
    ...handle,
    plan,
    send: async (input, options) => {
      try {
        return await handle.send(input, options)
      } catch (cause) {
        if (!(cause instanceof SenderDomainNotVerified)) throw cause
        await createDomain(handle, cause.domain)
        return handle.send(input, options)
      }
    },
    sendBatch: async (input, options) => {
      const messages = Array.isArray(input?.messages) ? input.messages : []
      // The plan of one message for each sender creates the domain. The batch itself says what is wrong with a message.
      const bySender = new Map(messages.map((message) => [message?.from, message]))
      await Promise.allSettled([...bySender.values()].map((message) => plan(message)))
      return handle.sendBatch(input, options)
    }
  }
}
