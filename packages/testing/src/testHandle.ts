/**
 * A handle whose methods finish the work that is due before they resolve, and whose sends may come from any domain.
 */
import { DomainTaken, SenderDomainNotVerified, TransactionRefused } from "@mailkeep/core"
import type { EmbeddedProject, MailProject } from "mailkeep"

type AnyFunction = (...args: ReadonlyArray<unknown>) => unknown

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/**
 * An object with the members of `current()`. Each function calls the one of the object that is current at that time. `finish` gets each promise that it
 * returns, and finishes the work that is due.
 */
export const settled = <A extends object>(current: () => A, finish: <B>(call: Promise<B>) => Promise<B>): A => {
  const member = (name: string, value: unknown): unknown => {
    const now = () => (current() as Readonly<Record<string, unknown>>)[name]
    if (isObject(value)) return settled(() => now() as object, finish)
    if (typeof value !== "function") return value
    return (...args: ReadonlyArray<unknown>) => {
      const result = (now() as AnyFunction)(...args)
      return result instanceof Promise ? finish(result) : result
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
      // The plan of a message creates the domain of its sender, unless the message has a wrong form. The batch itself says what is wrong with it.
      const planned = new Set<unknown>()
      for (const message of messages) {
        if (planned.has(message?.from)) continue
        const [result] = await Promise.allSettled([plan(message)])
        if (result.status === "fulfilled") planned.add(message?.from)
      }
      return handle.sendBatch(input, options)
    }
  }
}

const isNotOpen = (cause: unknown): boolean => cause instanceof TransactionRefused && cause.reason === "not_open"

/** The same handle. The store in memory takes part in no transaction, and the refusal says so also before the mail is open. */
export const withoutTransactions = <H extends MailProject>(handle: H): H => ({
  ...handle,
  within: ((connection: never) =>
    Object.fromEntries(
      Object.entries(handle.within(connection)).map(([name, call]) => [
        name,
        (...args: ReadonlyArray<unknown>) => {
          try {
            return (call as AnyFunction)(...args)
          } catch (cause) {
            throw isNotOpen(cause) ? new TransactionRefused({ reason: "not_supported" }) : cause
          }
        }
      ])
    )) as unknown as H["within"]
})
