/**
 * Simulates the core in one process, once for each seed. Two simulated processes share one store and have callers. The relay, the
 * webhook and the store are flaky, clocks jump and processes are killed. Then the faults stop and the final state is checked. The same seed
 * gives the same run.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Dispatcher, Domains, eventKinds, EventSender, Feedback, Webhooks } from "@mailkeep/core"
import { hourMillis, minuteMillis, secondMillis } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Clock, Effect, Logger } from "effect"
import { seeded } from "../seeded.ts"
import { aheadMillisMax, emptyConversation, makeCaller, projects } from "./callers.ts"
import type { FaultRates } from "./faultRates.ts"
import { drawFaultRates, jumpMillisMax, jumpsAtMost } from "./faultRates.ts"
import { History, readNow } from "./history.ts"
import type { RelayCopy } from "./flakyRelay.ts"
import { simulatedCore } from "./simulatedCore.ts"
import type { SimProcess } from "./SimulatedWorld.ts"
import { SimulatedWorld } from "./SimulatedWorld.ts"
import { eventDeliveriesOf, eventDeliveriesVerdict } from "./eventDeliveriesVerdict.ts"
import { Reports } from "./reports.ts"
import { reportsVerdict } from "./reportsVerdict.ts"
import { deliveriesOf, verdict } from "./verdict.ts"

const start = Date.UTC(2026, 10, 21, 12)
const processesAtOnce = 2
const callersEach = 2
/** Time after the faults in which every delivery must end. A clock that was ahead may have scheduled a delivery that much later. */
const recoveryMillisMax = jumpsAtMost * jumpMillisMax + aheadMillisMax + 12 * hourMillis
/** Time after the faults in which every delivery must end that was due at their end, whatever the clocks showed: the longest waits, one after another. */
const dueMillisMax = 4 * hourMillis

/** What one simulation did, and the problems that its checks found. */
export interface SimulationResult {
  readonly problems: ReadonlyArray<string>
  readonly kills: number
  readonly shutdowns: number
  readonly commits: number
  readonly transitions: number
  readonly sends: number
  readonly copies: number
  readonly duplicates: number
  readonly reports: number
}

class Simulation {
  readonly random: () => number
  readonly world: SimulatedWorld
  readonly raw: MailStoreShape
  readonly history: History
  readonly conversation = emptyConversation()
  readonly copies: Array<RelayCopy> = []
  /** Ids of the event deliveries that the webhook received. */
  readonly receivedEventDeliveries = new Set<string>()
  readonly faultRates: FaultRates
  readonly reports: Reports
  /** Takes the reports of each process. */
  readonly #feedbacks = new WeakMap<SimProcess, Feedback["Service"]>()
  processes: Array<SimProcess> = []
  hasFaults = true
  calls = 0
  kills = 0
  shutdowns = 0
  jumps = 0
  /** What interrupts the program of each process. */
  readonly #interrupts = new WeakMap<SimProcess, () => void>()
  /** Difference of the clock of the machine to the true time. */
  machineSkewMillis = 0

  constructor(seed: number, raw: MailStoreShape, faultRates: Partial<FaultRates>) {
    this.raw = raw
    this.history = new History(this.raw)
    this.random = seeded(seed)
    this.world = new SimulatedWorld(start, this.random)
    this.faultRates = { ...drawFaultRates(this.random, seed), ...faultRates }
    const { reportsMax, earlyReportShare, faultMillis } = this.faultRates
    // Numbers of their own, so that a seed without reports stays as it was before they existed.
    const random = seeded(seed ^ 0x2c1b3c6d)
    const { world, copies, history } = this
    this.reports = new Reports(
      { raw, random, copies, now: () => world.now, projectOf: history.projectOf },
      { count: reportsMax, end: start + faultMillis, earlyShare: earlyReportShare }
    )
  }

  /** Makes the core of a process. */
  #core(process: SimProcess) {
    const { raw, random, faultRates, history, copies, reports, receivedEventDeliveries } = this
    const hasFaults = () => this.hasFaults
    const shared = { raw, random, faultRates, hasFaults, history, copies, reports, receivedEventDeliveries }
    return simulatedCore(shared, process, () => this.#feedbacks.get(process)!)
  }

  /** Sets the clock of the machine, or of the first process, forward or back by at most 24 h. */
  #jump(): void {
    const { random, processes, faultRates } = this
    const { jumpMillisMin } = faultRates
    const millis = Math.round((random() < 0.5 ? -1 : 1) * jumpMillisMin * (jumpMillisMax / jumpMillisMin) ** random())
    if (faultRates.hasOneClock) this.machineSkewMillis += millis
    for (const process of faultRates.hasOneClock ? processes : processes.slice(0, 1)) process.skewMillis += millis
  }

  /**
   * The deliveries that must end soon after the faults: those that are queued or under work. A process whose clock is ahead queues a scheduled
   * delivery too early. When the clock is right again, such a delivery waits for its scheduled time.
   */
  #unfinished(): ReadonlyArray<string> {
    const deliveries = projects.flatMap((projectId) => deliveriesOf(this.raw, projectId))
    return deliveries.flatMap(({ id, status, scheduledAt }) =>
      (status === "queued" || status === "sending") && (scheduledAt ?? 0) <= this.world.now ? [id] : []
    )
  }

  /** Starts a process with a core and its callers. It runs until it is killed or fails to start. */
  boot(): void {
    const process = this.world.process()
    process.skewMillis = this.machineSkewMillis
    this.processes.push(process)
    const caller = makeCaller(this.conversation, this.random)
    const calling = Effect.gen({ self: this }, function* () {
      while (this.hasFaults && this.calls < this.faultRates.callsMax) {
        this.calls++
        yield* Effect.sleep(Math.ceil(this.random() * (this.random() < 0.5 ? 5 * secondMillis : 5 * minuteMillis)))
        yield* caller
      }
    })
    const { hasWebhook } = this.faultRates
    const program = Effect.gen({ self: this }, function* () {
      const feedback = yield* Feedback
      this.#feedbacks.set(process, feedback)
      const domains = yield* Domains
      for (const projectId of projects)
        yield* domains
          .create(projectId, { domain: "example.com", verified: true })
          .pipe(Effect.catchTag("DomainTaken", () => Effect.void))
      const webhooks = yield* Webhooks
      for (const projectId of hasWebhook ? projects : [])
        if ((yield* webhooks.list(projectId, { limit: 1 })).total === 0)
          yield* webhooks.create(projectId, { url: "https://hooks.example.net/", events: eventKinds })
      yield* Effect.forkScoped((yield* Dispatcher).run)
      yield* Effect.forkScoped((yield* EventSender).run)
      if (this.faultRates.reportsMax > 0) yield* Effect.forkScoped(this.reports.run(feedback))
      yield* Effect.all(
        Array.from({ length: callersEach }, () => calling),
        { concurrency: "unbounded", discard: true }
      )
      return yield* Effect.never
    }).pipe(
      Effect.provide(this.#core(process)),
      Effect.scoped,
      Effect.provide(Logger.layer([])),
      Effect.provideService(Clock.Clock, process.clock)
    )
    const fiber = Effect.runFork(program, { scheduler: process.scheduler })
    this.#interrupts.set(process, () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      if (!process.alive) return
      this.#ended(process)
      if (exit._tag === "Success") return
      for (const reason of exit.cause.reasons)
        if (reason._tag === "Die")
          this.history.problems.push(`a process ended with the defect ${String(reason.defect)}`)
    })
  }

  #ended(process: SimProcess): void {
    this.world.kill(process)
    this.processes = this.processes.filter((other) => other !== process)
  }

  /** Kills a process or shuts it down. A process that shuts down continues until its fibers have ended. */
  #endOne(): void {
    const { random, processes, faultRates } = this
    const process = processes[Math.floor(random() * processes.length)]!
    if (faultRates.shutdownShare > 0 && random() < faultRates.shutdownShare) {
      this.shutdowns++
      this.#interrupts.get(process)?.()
    } else {
      this.kills++
      this.#ended(process)
    }
  }

  /** Runs between two tasks: may kill or shut down a process, move a clock, or start a process again. */
  #injectFaults(): void {
    while (this.processes.length < (this.hasFaults ? processesAtOnce : 1)) this.boot()
    if (!this.hasFaults) return
    const { random, faultRates } = this
    if (this.kills + this.shutdowns < faultRates.killsMax && random() < 0.0005) this.#endOne()
    if (this.jumps < faultRates.jumpsMax && random() < 0.0003) {
      this.jumps++
      this.#jump()
    }
  }

  /** Checks only when the time has passed and something was committed since: only a commit ends a delivery, distributes an event or ends an event delivery. */
  #afterCommits(isDone: () => boolean): () => boolean {
    const { world, history } = this
    let checkedAt = -1
    let checkedCommits = -1
    return () => {
      if (world.now === checkedAt || history.commits === checkedCommits) return false
      checkedAt = world.now
      checkedCommits = history.commits
      return isDone()
    }
  }

  run(): SimulationResult {
    const { world, history, raw } = this
    world.run(
      start + this.faultRates.faultMillis,
      () => history.problems.length > 0,
      () => this.#injectFaults()
    )
    this.hasFaults = false
    // Corrects the clocks. From here on one process is enough.
    this.machineSkewMillis = 0
    for (const process of this.processes) process.skewMillis = 0
    const unfinished = new Set(this.#unfinished())
    const late = () => this.#unfinished().filter((id) => unfinished.has(id))
    world.run(
      world.now + dueMillisMax,
      this.#afterCommits(() => late().length === 0),
      () => this.#injectFaults()
    )
    const stillLate = late()
    const hasSettled = () => {
      const [{ scheduled, queued, sending }, events, pending] = readNow(raw, [
        { _tag: "Backlog", now: world.now },
        { _tag: "UndistributedEvents", limit: 1 },
        { _tag: "PendingEventDeliveries", now: world.now }
      ])
      return (
        scheduled + queued + sending + events.length + pending.length === 0 &&
        // The query returns only unclaimed event deliveries.
        eventDeliveriesOf(raw, history).every(({ status }) => status !== "pending")
      )
    }
    const settled = world.run(world.now + recoveryMillisMax, this.#afterCommits(hasSettled), () => this.#injectFaults())
    for (const process of this.processes) world.kill(process)
    const byDelivery = Map.groupBy(this.copies, ({ deliveryId }) => deliveryId)
    return {
      problems: [
        ...history.problems,
        ...this.reports.problems,
        ...reportsVerdict(raw, this.reports.answered),
        ...stillLate.map(
          (id) => `${id} was queued when the faults stopped, and has not ended ${dueMillisMax / hourMillis} hours later`
        ),
        ...(settled || hasSettled() ? [] : ["a delivery or an event still waits long after the faults stopped"]),
        ...verdict(raw, this.conversation, this.copies, {
          suppressed: history.suppressed,
          hardBounced: history.hardBounced,
          hasAllowance: this.faultRates.allowance !== null
        }),
        ...eventDeliveriesVerdict(raw, history, this.receivedEventDeliveries)
      ],
      kills: this.kills,
      shutdowns: this.shutdowns,
      commits: history.commits,
      transitions: history.transitions,
      sends: this.conversation.sends.length,
      copies: this.copies.length,
      duplicates: [...byDelivery.values()].filter(({ length }) => length > 1).length,
      reports: this.reports.answered.length
    }
  }
}

/** Makes the store incorrect, to test that the checks find it. */
export type Sabotage = (store: MailStoreShape) => MailStoreShape

/** Runs the simulation of one seed. `faultRates` replaces rates that the seed decides. */
export const simulateSeed = (
  seed: number,
  sabotage: Sabotage = (store) => store,
  faultRates: Partial<FaultRates> = {}
): SimulationResult => simulateOver(sabotage(Effect.runSync(MemoryMailStore.make)), seed, faultRates)

/** Runs the simulation of one seed over an empty store whose calls are synchronous. */
export const simulateOver = (
  store: MailStoreShape,
  seed: number,
  faultRates: Partial<FaultRates> = {}
): SimulationResult => new Simulation(seed, store, faultRates).run()
