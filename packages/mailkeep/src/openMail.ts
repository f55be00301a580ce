/**
 * Opens the mail of a product: at once, or with the first call. Source: decision 0047.
 */
import type { ProjectId, Sending } from "@mailkeep/core"
import { Dispatcher, Domains, EventSender, Health, Projects } from "@mailkeep/core"
import { issue, parseSubscription } from "@mailkeep/core/binding"
import { Effect, Exit, Result } from "effect"
import type { Run } from "./calls.ts"
import { callsOf, makeCalls } from "./calls.ts"
import { checkHandleOptions, checkOptions } from "./checkOptions.ts"
import type { Subscription } from "./coreRuntime.ts"
import { makeCoreRuntime, subscribe } from "./coreRuntime.ts"
import { makeEmbeddedProject } from "./embeddedProject.ts"
import { invalidArgument } from "./invalidArgument.ts"
import { makeTransactionSends } from "./makeTransactionSends.ts"
import type { Mail, MailProject, ProjectsHandle } from "./Mail.ts"
import type { MailOptions } from "./MailOptions.ts"
import { drainOutbox } from "./outbox/drainOutbox.ts"
import type { OutboxReport, OutboxSource } from "./outbox/OutboxSource.ts"
import { makeOutboxRow } from "./outbox/outboxRow.ts"
import { scheduler } from "./scheduler.ts"

const defaultProjectId = "default"
const defaultGraceMillis = 15_000

/** Drains the outbox first, so that its mail is handed over in the same tick. When that fails, the rest of the tick is still done. */
const tickWith = (source: OutboxSource | undefined) =>
  Effect.gen(function* () {
    const drained = source === undefined ? Exit.succeed(noOutbox) : yield* Effect.exit(drainOutbox(source))
    const deliveries = yield* (yield* Dispatcher).tick
    const events = yield* (yield* EventSender).tick
    const domainsChecked = yield* (yield* Domains).tick
    return { outbox: yield* drained, deliveries, events, domainsChecked }
  })

const noOutbox: OutboxReport = { accepted: 0, refused: 0, left: 0 }

const drainOf = (source: OutboxSource | undefined): Effect.Effect<OutboxReport, unknown, Sending> =>
  source === undefined ? Effect.die(new TypeError("The option `outbox` of openMail is missing.")) : drainOutbox(source)

const projectIdIssue = issue(["projectId"], "invalid_type", "must be a string")

const disposed = ({ disposeEffect }: ReturnType<typeof makeCoreRuntime>) =>
  Effect.runPromise(disposeEffect, { scheduler })

/** The runtime of the core, and a new one after an opening that failed. */
const makeOpening = (options: MailOptions, projectId: string) => {
  // The latest subscription of each name, as in the core.
  const subscriptions = new Map<string, Subscription>()
  let hasBegun = false
  let isOpen = false
  let stopLoops: Effect.Effect<void> = Effect.void
  const make = () =>
    makeCoreRuntime(options, projectId, {
      onBegin: () => {
        hasBegun = true
        return [...subscriptions.values()]
      },
      onOpen: (stop) => {
        isOpen = true
        stopLoops = stop
      }
    })
  let current = make()
  let cleanedUp: Promise<unknown> = Promise.resolve()
  return {
    runtime: () => current,
    /** After an opening that failed, the next call opens again. */
    onFailure: (failed: typeof current) => {
      if (isOpen || failed !== current) return
      hasBegun = false
      current = make()
      cleanedUp = Promise.all([cleanedUp, disposed(failed)])
    },
    stopLoops: () => Effect.runPromise(stopLoops, { scheduler }),
    dispose: () => Promise.all([cleanedUp, disposed(current)]),
    /** Keeps the subscription for the opening. Returns whether the opening has begun without it. */
    add: (subscription: Subscription): boolean => {
      subscriptions.set(subscription.name, subscription)
      return hasBegun
    },
    /** Leaves the subscription out of the next opening. */
    remove: (name: string): void => void subscriptions.delete(name)
  }
}

const makeProjects = (run: Run): ProjectsHandle => {
  const call = callsOf(run, Projects)
  return {
    ensure: (id, options) => call(({ ensure }) => ensure(id), options),
    update: (id, input, options) => call(({ update }) => update(id, input), options),
    delete: (id, options) => call((projects) => projects.delete(id), options),
    list: (options) => call(({ list }) => list, options)
  }
}

/** Makes the mail. `onClose` is called when it begins to close. Throws a `TypeError` for an option of another form. */
export const makeMail = (options: MailOptions, onClose: () => void = () => {}): Mail => {
  checkOptions(options)
  const { projectId = defaultProjectId, from, graceMillis = defaultGraceMillis } = options
  const opening = makeOpening(options, projectId)
  const calls = makeCalls(opening.runtime, opening.onFailure)
  const run: Run = calls.run
  /** The handle of a project, with the sends that commit in a database of the product. */
  const makeProject = (id: ProjectId, sender: string | undefined): MailProject => ({
    ...makeEmbeddedProject(run, id, sender),
    within: ((connection: unknown) =>
      makeTransactionSends(
        { run, runSync: calls.runSync, projectId: id, from: sender },
        connection
      )) as MailProject["within"],
    outbox: { row: (input) => makeOutboxRow(input, id, sender) }
  })
  const main = makeProject(projectId, from)
  let closing: Promise<void> | undefined
  const close = () =>
    (closing ??= (async () => {
      onClose()
      // Both at the same time, so that a shutdown takes the longest grace time and not the sum.
      await Promise.all([calls.end(graceMillis), opening.stopLoops()])
      await opening.dispose()
    })())
  return {
    ...main,
    outbox: { ...main.outbox, drain: (call) => calls.run(drainOf(options.outbox), call) },
    open: (call) => run(Effect.void, call),
    project: (id, settings) => {
      checkHandleOptions(settings)
      // The core would take an object for a principal, as a binding passes it.
      if (typeof id !== "string") throw invalidArgument({ argument: "ids", issues: [projectIdIssue] })
      return makeProject(id, settings?.from)
    },
    projects: makeProjects(run),
    on: async (name, kinds, handler) => {
      // Before the mail is open too. A wrong subscription would otherwise let each opening fail.
      const parsed = parseSubscription({ name, kinds, handler })
      if (Result.isFailure(parsed)) throw invalidArgument({ argument: "input", issues: parsed.failure })
      // The core gives a handler only events of its kinds.
      const subscription: Subscription = { name, kinds, handler: handler as Subscription["handler"] }
      if (opening.add(subscription) || closing !== undefined) await run(subscribe(subscription))
    },
    off: (name, call) => {
      opening.remove(name)
      return callsOf(run, EventSender)(({ unsubscribe }) => unsubscribe(name), call)
    },
    health: (call) => callsOf(run, Health)(({ check }) => check, call),
    tick: (call) => calls.run(tickWith(options.outbox), call),
    sweep: (call) => callsOf(run, Dispatcher)(({ sweep }) => sweep, call),
    close,
    [Symbol.asyncDispose]: close,
    get runtime() {
      return opening.runtime()
    }
  }
}

/**
 * Makes the mail of a product, which opens with the first call of a method. Use it in a module that other programs import too, such as a build: the
 * import opens no file and starts nothing. Call `open` at the start of the server, so that the hand-off of earlier mail continues. Throws a `TypeError`
 * at once for an unknown option and for an option of another form.
 *
 * @example
 * ```ts
 * import { lazyMail, memory, stub } from "mailkeep"
 *
 * export const mail = lazyMail({ store: memory(), transport: stub(), domains: ["acme.example"] })
 * await mail.open()
 * await mail.close()
 * ```
 */
export const lazyMail = (options: MailOptions): Mail => makeMail(options)

/**
 * Opens the mail of a product: the store, the sender domains of the default project and the work in the background. Close the mail before the process
 * ends, so that work under way is finished.
 *
 * Rejects when the mail cannot be opened. Nothing is left running then. Rejects with a `TypeError` for an unknown option and for an option of another
 * form. Rejects with `StoreNotOpened`, and with `StoreUnavailable` when the store fails after it was opened. Rejects with `MasterSecretRefused` when the
 * master secret is too short or the store needs another one or none. Rejects with `SmtpOptionsInvalid` when the URL or an option of `smtp` is wrong.
 * Rejects with `InvalidArgument` when a domain or a limit of the plan is not valid, and with `TooManyRecords` when the project would have more than 1,000
 * domains.
 *
 * @example
 * ```ts
 * import { memory, openMail, stub } from "mailkeep"
 *
 * const mail = await openMail({ store: memory(), transport: stub(), domains: ["acme.example"] })
 * const message = { from: "Acme <hi@acme.example>", to: "ada@example.org", subject: "Welcome", text: "Hello." }
 * const { totalQueued } = await mail.send({ ...message, idempotencyKey: "welcome:ada" })
 * console.log(totalQueued) // 1
 * await mail.close()
 * ```
 */
export const openMail = async (options: MailOptions): Promise<Mail> => {
  const mail = lazyMail(options)
  try {
    await mail.open()
  } catch (cause) {
    await mail.close()
    throw cause
  }
  return mail
}
