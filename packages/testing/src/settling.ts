/**
 * Does the work that is due in a test, and moves the clock from one piece of work to the next.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { Dispatcher, Domains, EventSender, MailStore, StoreUnavailable } from "@mailkeep/core"
import { Effect } from "effect"
import type { DispatchReport, MailRuntime, MailServices } from "mailkeep"
import type { CapturingTransport } from "./capturingTransport.ts"
import { nextTurn, scheduler } from "./realTimers.ts"
import type { SettableClock } from "./settableClock.ts"
import type { WatchedPromise } from "./watchedPromise.ts"
import { watchPromise } from "./watchedPromise.ts"

/** The work of one test mail. */
export interface Settling {
  /** Runs an effect of the core. Rejects with `StoreUnavailable`, reason `closed`, after `stop`. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, MailServices>) => Promise<A>
  /** Finishes the work that is due. */
  readonly settle: () => Promise<void>
  /** Moves the clock to the instant, and does the work that becomes due until then. */
  readonly advanceTo: (instant: number) => Promise<void>
  /** Runs the code of a handler. A call of the mail from there does not wait for the event that the handler handles. */
  readonly asHandler: <A>(handler: () => A) => A
  /** Waits until the calls are over, or until they wait for something outside of the core, such as a handler that hangs. */
  readonly untilOver: (calls: WatchedPromise) => Promise<void>
  /** Interrupts the hand-offs under way. */
  readonly stop: () => void
}

/** The parts of a test mail that its work needs. */
export interface SettlingDeps {
  readonly runtime: () => MailRuntime
  readonly clock: SettableClock
  readonly transport: CapturingTransport
}

/** After this many turns of the event loop without a step, the core waits for its clock. */
const quietTurns = 20

/** More rounds of work at one instant mean that the product answers its own events with mail for ever. */
const roundsMax = 10_000

/** The steps of the clock while something is due that the core does not take, such as mail for a relay that gets a pause. */
const overdueStepMillis = { min: 1000, max: 600_000 }

/** A promise that is never over. */
const never: WatchedPromise = { isOver: false }

/** The work of a dispatcher, an event sender and the check of domains, as promises. */
const makeWork = ({ runtime, clock, transport }: SettlingDeps) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const run: Settling["run"] = async (effect) => {
    try {
      if (!signal.aborted) return await runtime().runPromise(effect, { scheduler, signal })
    } catch (cause) {
      if (!signal.aborted) throw cause
    }
    throw new StoreUnavailable({ reason: "closed" })
  }
  const steps = () => clock.reads() + transport.steps()
  /** The ticks with hand-offs that hang. */
  let hanging: Array<WatchedPromise> = []

  /** Waits until the core makes no step, or until the promise is over. */
  const untilQuiet = async (watched: WatchedPromise): Promise<void> => {
    let last = steps()
    for (let quiet = 0; quiet < quietTurns && !watched.isOver; quiet++) {
      await nextTurn()
      const current = steps()
      if (current !== last) quiet = 0
      last = current
    }
  }

  /** One tick of the dispatcher. Resolves with `null` when only hand-offs that hang are left. They continue. */
  const dispatch = async (): Promise<DispatchReport | null> => {
    const tick = run(Dispatcher.use((dispatcher) => dispatcher.tick))
    const watched = watchPromise(tick)
    while (!watched.isOver) {
      await untilQuiet(watched)
      if (watched.isOver || transport.underWay() === 0) continue
      hanging.push(watched)
      return null
    }
    return tick
  }

  return {
    run,
    dispatch,
    untilOver: async (calls: WatchedPromise) => {
      // The core reads no clock while its modules are loaded.
      while (!calls.isOver && runtime().cachedContext === undefined) await nextTurn()
      await untilQuiet(calls)
    },
    sendEvents: () => run(EventSender.use((eventSender) => eventSender.tick)),
    checkDomains: () => run(Domains.use((domains) => domains.tick)),
    /** When the core has work next, also in the past for work that it does not take now; `null` means never. */
    nextDue: (now: number) =>
      run(
        Effect.gen(function* () {
          const [delivery, events] = yield* (yield* MailStore).read([
            { _tag: "NextDue", worker: "", now },
            { _tag: "PendingEventDeliveries", now }
          ])
          const due = [...(delivery === null ? [] : [delivery]), ...events.map(({ dueAt }) => dueAt)]
          return due.length === 0 ? null : Math.min(...due)
        })
      ),
    /** Moves the clock. Hand-offs that hang may end by it. */
    moveClock: async (instant: number) => {
      clock.moveTo(instant)
      hanging = hanging.filter(({ isOver }) => !isOver)
      if (hanging.length > 0) await untilQuiet(never)
    },
    stop: () => stopping.abort()
  }
}

interface WorkOptions {
  /** Whether event deliveries are attempted too. A handler of an event cannot wait for its own event. */
  readonly withEvents: boolean
}

/** Makes the work of a test mail. */
export const makeSettling = (deps: SettlingDeps): Settling => {
  const { clock } = deps
  const work = makeWork(deps)
  const handling = new AsyncLocalStorage<true>()
  let last: Promise<unknown> = Promise.resolve()

  /** Runs after all earlier work. */
  const exclusive = (work: () => Promise<void>): Promise<void> => {
    const before = last
    const result = (async () => {
      await before
      await work()
    })()
    last = Promise.allSettled([result])
    return result
  }

  /** Does one piece of the work. Returns whether there was something to do. */
  const round = async ({ withEvents }: WorkOptions): Promise<boolean> => {
    const report = await work.dispatch()
    const dispatched = report === null || report.scheduled + report.recovered + report.handedOver > 0
    if (!withEvents) return dispatched
    const { distributed, attempted } = await work.sendEvents()
    return dispatched || distributed + attempted > 0
  }

  const settleNow = async (options: WorkOptions): Promise<void> => {
    for (let rounds = 0; await round(options); rounds++)
      if (rounds >= roundsMax)
        throw new Error("The work does not end: a handler sends a mail for each event of the mail that it sends.")
  }

  const advanceNow = async (target: number): Promise<void> => {
    await settleNow({ withEvents: true })
    let overdueStep = overdueStepMillis.min
    for (let now = clock.now(); now < target; now = clock.now()) {
      const due = await work.nextDue(now)
      const isOverdue = due !== null && due <= now
      const next = Math.min(target, clock.nextWakeAt() ?? target, isOverdue ? now + overdueStep : (due ?? target))
      overdueStep = isOverdue ? Math.min(overdueStep * 2, overdueStepMillis.max) : overdueStepMillis.min
      await work.moveClock(next)
      await settleNow({ withEvents: true })
    }
    await work.checkDomains()
    await settleNow({ withEvents: true })
  }

  return {
    settle: () =>
      handling.getStore() === true
        ? settleNow({ withEvents: false })
        : exclusive(() => settleNow({ withEvents: true })),
    advanceTo: (instant) =>
      handling.getStore() === true
        ? Promise.reject(new Error("A handler of events cannot move the clock: move it in the test."))
        : exclusive(() => advanceNow(instant)),
    asHandler: (handler) => handling.run(true, handler),
    run: work.run,
    untilOver: work.untilOver,
    stop: work.stop
  }
}
