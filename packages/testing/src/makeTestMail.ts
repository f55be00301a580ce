/**
 * Makes the mail of a product for its tests.
 */
import { MailStore } from "@mailkeep/core"
import { timerMillisMax } from "@mailkeep/core/options"
import { Clock, Effect } from "effect"
import type { DeliveryReport, EmbeddedProject, Mail, MailProject, TimeInput } from "mailkeep"
import { toMillis } from "./DurationInput.ts"
import type { MailFilter } from "./MailFilter.ts"
import { describeFilter, describeMails, isMatch, toFilter } from "./MailFilter.ts"
import { afterMillis } from "./realTimers.ts"
import type { Session } from "./session.ts"
import { makeSession } from "./session.ts"
import { settled, withAnyDomain, withoutTransactions } from "./testHandle.ts"
import type { TestMail, TestMailOptions, WaitOptions } from "./TestMail.ts"
import { instantMax, withDescription } from "./waitingMail.ts"

const toInstant = (input: TimeInput): number => {
  const instant = new Date(input).getTime()
  if (Number.isNaN(instant))
    throw new RangeError("The time is not a date, a number of milliseconds or an ISO 8601 text.")
  return instant
}

/** How often `waitFor` looks for new mail. */
const pollMillis = 5
const waitMillisDefault = 1000

const instantAfter = (now: number, millis: number): number => {
  if (now + millis > instantMax) throw new RangeError("The clock cannot show a time after the year 275760.")
  return now + millis
}

/** The options of `openMail` that a test mail chooses itself. */
const chosenOptions = ["store", "transport", "background", "adapters"] as const

const checkOptions = (options: TestMailOptions): void => {
  if (typeof options !== "object" || options === null) throw new TypeError("The options of testMail must be an object.")
  const chosen = chosenOptions.find((name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined)
  if (chosen !== undefined)
    throw new TypeError(
      `testMail has no option "${chosen}": the store, the transport and the work are those of the test.`
    )
}

const checkWait = (timeout: number, count: number): void => {
  if (typeof timeout !== "number" || !(timeout >= 0 && timeout <= timerMillisMax))
    throw new RangeError(`timeout must be a number of milliseconds from 0 to ${timerMillisMax}.`)
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError("count must be a whole number from 1.")
}

type AnyFilter = string | RegExp | MailFilter

/** What a test asks about the captured mails. */
const makeCaptures = (current: () => Session) => {
  const matching = (filter: AnyFilter = {}) => {
    const wanted = toFilter(filter)
    return current()
      .transport.captured()
      .filter((mail) => isMatch(wanted, mail))
  }
  const noMail = (filter: AnyFilter, count = 1): Error => {
    const wanted = toFilter(filter)
    const number = count === 1 ? "No mail matches" : `Fewer than ${count} mails match`
    const { transport, waiting } = current()
    return new Error(`${number} ${describeFilter(wanted)}. ${describeMails(transport.captured(), wanted)}${waiting()}`)
  }
  const last: TestMail["last"] = (filter = {}) => {
    const newest = matching(filter).at(-1)
    if (newest === undefined) throw noMail(filter)
    return newest
  }
  const waitFor = async (filter: AnyFilter, { timeout = waitMillisDefault, count = 1, signal }: WaitOptions = {}) => {
    checkWait(timeout, count)
    let isOver = false
    const cancel = afterMillis(timeout, () => {
      isOver = true
    })
    try {
      for (;;) {
        signal?.throwIfAborted()
        await current().settle()
        if (matching(filter).length >= count) return last(filter)
        if (isOver) throw noMail(filter, count)
        await new Promise<void>((resolve) => void afterMillis(pollMillis, resolve))
      }
    } finally {
      cancel()
    }
  }
  return { last, waitFor, captured: matching }
}

/** The handlers of events that a test has registered. After a reset, `registerAll` registers them with the new session. */
const makeHandlers = (current: () => Session) => {
  type Registration = Parameters<Mail["on"]>
  const registrations = new Map<string, Registration>()

  const register = async ([name, kinds, handler]: Registration): Promise<void> => {
    const { mail, asHandler } = current()
    // A handler that is no function is refused by the mail, as in production.
    await mail.on(name, kinds, typeof handler === "function" ? (event) => asHandler(() => handler(event)) : handler)
  }
  const on: Mail["on"] = async (name, kinds, handler) => {
    const before = registrations.get(name)
    const registration = [name, kinds, handler] as unknown as Registration
    registrations.set(name, registration)
    try {
      await register(registration)
    } catch (cause) {
      // Otherwise each reset would reject for the same reason.
      if (before !== undefined) registrations.set(name, before)
      else registrations.delete(name)
      throw cause
    }
  }
  const off: Mail["off"] = async (name, options) => {
    const { finish, mail } = current()
    await finish(mail.off(name, options))
    registrations.delete(name)
  }
  const registerAll = () => Promise.all([...registrations.values()].map(register))
  return { on, off, registerAll }
}

/** Reports of other systems, by the way of every product: `Feedback`. */
const makeReports = (current: () => Session, last: TestMail["last"]) => {
  const projectOf = async ({ mail, run }: Session, deliveryId: string): Promise<EmbeddedProject> => {
    const find = MailStore.use((store) => store.read([{ _tag: "DeliveryById", id: deliveryId }]))
    const [delivery] = await run(find)
    return delivery === null ? mail : mail.project(delivery.projectId)
  }
  return async (target: string, report: DeliveryReport): Promise<void> => {
    if (typeof target !== "string") throw new TypeError("A report needs the address of a mail or the id of a delivery.")
    const session = current()
    const deliveryId = target.includes("@") ? last(target).deliveryId : target
    await (await projectOf(session, deliveryId)).feedback.report(deliveryId, report)
    await session.settle()
  }
}

/**
 * Makes the mail of a product for its tests: the whole interface of `openMail` over a store in memory, with what a test needs. It opens with the
 * first call, and starts nothing by itself. The senders may have any domain, unless `domains` is given.
 *
 * @example
 * ```ts
 * import { testMail } from "@mailkeep/testing"
 *
 * const mail = testMail({ from: "Acme <hi@acme.example>" })
 * const scheduledAt = new Date(mail.now().getTime() + 86_400_000)
 * await mail.send({ to: "ada@example.org", subject: "Your trial ends", text: "See https://acme.example/plans.", scheduledAt })
 * console.log(mail.captured().length) // 0
 * await mail.advance("1 day")
 * console.log(mail.last("ada@example.org").links[0]) // https://acme.example/plans
 * await mail.close()
 * ```
 */
export const testMail = (options: TestMailOptions = {}): TestMail => {
  checkOptions(options)
  const { now: startInput, ...mailOptions } = options
  const start = startInput === undefined ? undefined : toInstant(startInput)
  const forTests = <H extends MailProject>(handle: H): H =>
    withoutTransactions(mailOptions.domains === undefined ? withAnyDomain(handle) : handle)
  const open = () => {
    const session = makeSession(mailOptions, start ?? Effect.runSync(Clock.currentTimeMillis))
    return { session, mail: forTests(session.mail) }
  }
  let current = open()
  const session = () => current.session
  const settle = () => current.session.settle()
  const finish: Session["finish"] = (call) => current.session.finish(call)

  const handlers = makeHandlers(session)
  const captures = makeCaptures(session)
  const report = makeReports(session, captures.last)
  const advanceTo = (instant: number) => current.session.advanceTo(instant)
  const now = () => current.session.clock.now()
  const close = () => current.session.close()

  const made: TestMail = {
    ...settled<Omit<Mail, "runtime" | typeof Symbol.asyncDispose>>(() => {
      const { runtime: _, ...members } = current.mail
      return members
    }, finish),
    ...captures,
    settle,
    project: (projectId, settings) =>
      settled(() => forTests(current.session.mail.project(projectId, settings)), finish),
    on: handlers.on,
    off: handlers.off,
    close,
    [Symbol.asyncDispose]: close,
    get runtime() {
      return current.session.mail.runtime
    },
    now: () => new Date(now()),
    advance: async (duration) => advanceTo(instantAfter(now(), toMillis(duration))),
    setNow: async (input) => {
      const instant = toInstant(input)
      if (instant < now()) current.session.clock.setBackTo(instant)
      await advanceTo(instant)
    },
    script: (to, outcomes) => current.session.transport.script(to, outcomes),
    bounce: (target, details = {}) => report(target, { ...details, kind: "bounced" }),
    complain: (target) => report(target, { kind: "complained" }),
    delivered: (target) => report(target, { kind: "delivered" }),
    webhookPosts: () => [...current.session.posts],
    reset: async () => {
      const { session: old } = current
      current = open()
      await Promise.all([old.close(), handlers.registerAll()])
    }
  }
  return withDescription(made, () => current.session.waiting())
}
