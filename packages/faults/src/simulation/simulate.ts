/**
 * Runs whole lives of the core, one for each seed: two processes on one store, callers, a moody relay, a store that fails and delays,
 * clocks that jump, processes that are killed; then calm; then the verdict. A seed replays.
 */
import type { Crypto as CryptoService, MailStoreShape } from "@mailkeep/core"
import {
  Crypto,
  Dispatcher,
  Domains,
  eventKinds,
  EventRelay,
  EventSink,
  hourMillis,
  MailCore,
  MailStore,
  minuteMillis,
  PlanSource,
  secondMillis,
  Transport,
  Webhooks
} from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { MemoryMailStore } from "@mailkeep/memory"
import { Clock, Effect, Layer, Logger } from "effect"
import type { FaultRun } from "../FaultRun.ts"
import { seeded } from "../seeded.ts"
import { aheadMillisMax, makeCaller, projects, silence } from "./callers.ts"
import type { StoreFaults } from "./faultyStore.ts"
import { calm, faultyStore } from "./faultyStore.ts"
import { History, readNow } from "./history.ts"
import type { RelayCopy } from "./moodyRelay.ts"
import { moodyRelay } from "./moodyRelay.ts"
import { moodySink } from "./moodySink.ts"
import type { SimProcess } from "./Universe.ts"
import { Universe } from "./Universe.ts"
import { pushesOf, pushesVerdict } from "./pushesVerdict.ts"
import { verdict } from "./verdict.ts"

const start = Date.UTC(2026, 10, 21, 12)
const processesAtOnce = 2
const callersEach = 2
const jumpsAtMost = 2
const jumpMillis = 24 * hourMillis
/** After the bad times everything must settle within this: a clock that was ahead scheduled that much later. */
const calmMillisMax = jumpsAtMost * jumpMillis + aheadMillisMax + 12 * hourMillis

/** What a seed makes of the world. */
const weatherOf = (random: () => number) => ({
  badMillis: (0.2 + random() * 3) * hourMillis,
  killsMax: Math.floor(random() * 5),
  jumpsMax: random() < 0.3 ? jumpsAtMost : 0,
  callsMax: 20 + Math.floor(random() * 30),
  allowance: random() < 0.3 ? 20 : null,
  hasWebhook: random() < 0.3,
  store: {
    failBefore: random() < 0.5 ? random() * 8 : 0,
    failAfter: random() < 0.5 ? random() * 8 : 0,
    delayMillisMax: random() < 0.5 ? 2000 : 0
  } satisfies StoreFaults
})

interface Life {
  readonly problems: ReadonlyArray<string>
  readonly kills: number
  readonly commits: number
  readonly moves: number
  readonly sends: number
  readonly copies: number
  readonly doubles: number
}

class Simulation {
  readonly random: () => number
  readonly universe: Universe
  readonly raw: MailStoreShape
  readonly history: History
  readonly said = silence()
  readonly copies: Array<RelayCopy> = []
  /** Pushes that the webhook took. */
  readonly pushed = new Set<string>()
  readonly weather: ReturnType<typeof weatherOf>
  processes: Array<SimProcess> = []
  bad = true
  calls = 0
  kills = 0
  jumps = 0

  constructor(seed: number, sabotage: Sabotage) {
    this.raw = sabotage(Effect.runSync(MemoryMailStore.make))
    this.history = new History(this.raw)
    this.random = seeded(seed)
    this.universe = new Universe(start, this.random)
    this.weather = weatherOf(this.random)
  }

  #crypto = Layer.effect(
    Crypto,
    Effect.map(Crypto, (crypto): CryptoService["Service"] => ({
      ...crypto,
      randomBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(this.random() * 256))
    }))
  ).pipe(Layer.provide(NodeCrypto.layer))

  #core(process: SimProcess) {
    const wall = () => process.clock.currentTimeMillisUnsafe()
    const store = faultyStore(
      this.raw,
      this.random,
      () => (this.bad ? this.weather.store : calm),
      this.history.witness(wall)
    )
    const relay = moodyRelay(this.random, () => this.bad, wall, this.copies)
    return MailCore.layerWith({
      dispatcher: { leaseMillis: 2 * minuteMillis, graceMillis: secondMillis, sleepMillisMax: 5 * minuteMillis },
      handOff: { deadlineMillis: 20 * minuteMillis },
      relay: { leaseMillis: 10 * minuteMillis, graceMillis: secondMillis, sleepMillisMax: 15 * minuteMillis }
    }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.succeed(MailStore, store),
          Layer.succeed(Transport, relay),
          Layer.succeed(
            EventSink,
            moodySink(this.random, () => this.bad, this.pushed)
          ),
          PlanSource.layerFixed({ sendingAllowance: this.weather.allowance }),
          this.#crypto
        )
      )
    )
  }

  /** A process comes up, dispatches and is called, until it is killed or cannot come up. */
  boot(): void {
    const process = this.universe.process()
    this.processes.push(process)
    const caller = makeCaller(this.said, this.random)
    const calling = Effect.gen({ self: this }, function* () {
      while (this.bad && this.calls < this.weather.callsMax) {
        this.calls++
        yield* Effect.sleep(Math.ceil(this.random() * (this.random() < 0.5 ? 5 * secondMillis : 5 * minuteMillis)))
        yield* caller
      }
    })
    const { hasWebhook } = this.weather
    const life = Effect.gen(function* () {
      const domains = yield* Domains
      for (const projectId of projects)
        yield* domains
          .add(projectId, { domain: "example.com", verified: true })
          .pipe(Effect.catchTag("DomainTaken", () => Effect.void))
      const webhooks = yield* Webhooks
      for (const projectId of hasWebhook ? projects : [])
        if ((yield* webhooks.page(projectId, { page: 1, limit: 1 })).total === 0)
          yield* webhooks.create(projectId, { url: "https://hooks.example.net/", events: eventKinds })
      yield* Effect.forkScoped((yield* Dispatcher).run)
      yield* Effect.forkScoped((yield* EventRelay).run)
      yield* Effect.all(
        Array.from({ length: callersEach }, () => calling),
        { concurrency: "unbounded", discard: true }
      )
      yield* Effect.never
    }).pipe(
      Effect.provide(this.#core(process)),
      Effect.scoped,
      Effect.provide(Logger.layer([])),
      Effect.provideService(Clock.Clock, process.clock)
    )
    const fiber = Effect.runFork(life, { scheduler: process.scheduler })
    fiber.addObserver((exit) => {
      if (!process.alive) return
      this.#ended(process)
      if (exit._tag === "Success") return
      for (const reason of exit.cause.reasons)
        if (reason._tag === "Die") this.history.problems.push(`a process died of ${String(reason.defect)}`)
    })
  }

  #ended(process: SimProcess): void {
    this.universe.kill(process)
    this.processes = this.processes.filter((other) => other !== process)
  }

  /** Between two tasks: a process may die, a clock may jump, a dead one comes back. */
  #mishap(): void {
    while (this.processes.length < (this.bad ? processesAtOnce : 1)) this.boot()
    if (!this.bad) return
    const { random, weather } = this
    if (this.kills < weather.killsMax && random() < 0.0005) {
      this.kills++
      this.#ended(this.processes[Math.floor(random() * this.processes.length)]!)
    }
    if (this.jumps < weather.jumpsMax && random() < 0.0003) {
      this.jumps++
      this.processes[0]!.skewMillis += (random() < 0.5 ? -1 : 1) * jumpMillis
    }
  }

  live(): Life {
    const { universe, history, raw } = this
    universe.run(
      start + this.weather.badMillis,
      () => history.problems.length > 0,
      () => this.#mishap()
    )
    this.bad = false
    // Clocks are set right, and one process goes on.
    for (const process of this.processes) process.skewMillis = 0
    const settled = () => {
      const [{ scheduled, queued, sending }, events, pending] = readNow(raw, [
        { _tag: "Backlog", now: universe.now },
        { _tag: "UndistributedEvents", limit: 1 },
        { _tag: "PendingPushes", now: universe.now }
      ])
      return (
        scheduled + queued + sending + events.length + pending.length === 0 &&
        // Those that are held right now are not among the pending ones.
        pushesOf(raw, history).every(({ status }) => status !== "pending")
      )
    }
    let looked = universe.now
    const calmed = universe.run(
      universe.now + calmMillisMax,
      () => {
        if (universe.now === looked) return false
        looked = universe.now
        return settled()
      },
      () => this.#mishap()
    )
    for (const process of this.processes) universe.kill(process)
    const doubled = Map.groupBy(this.copies, ({ deliveryId }) => deliveryId)
    return {
      problems: [
        ...history.problems,
        ...(calmed || settled() ? [] : ["something still waits long after the bad times"]),
        ...verdict(raw, this.said, this.copies, {
          suppressed: history.suppressed,
          dead: history.dead,
          hasAllowance: this.weather.allowance !== null
        }),
        ...pushesVerdict(raw, history, this.pushed)
      ],
      kills: this.kills,
      commits: history.commits,
      moves: history.moves,
      sends: this.said.asked.length,
      copies: this.copies.length,
      doubles: [...doubled.values()].filter(({ length }) => length > 1).length
    }
  }
}

/** Spoils the store behind everybody's back, to see whether the verdict notices. */
export type Sabotage = (store: MailStoreShape) => MailStoreShape

export const liveThrough = (seed: number, sabotage: Sabotage = (store) => store): Life =>
  new Simulation(seed, sabotage).live()

export interface SimulationOptions {
  readonly seeds: number
  readonly from: number
}

export const simulation = async ({ seeds, from }: SimulationOptions): Promise<FaultRun> => {
  const failures: Array<string> = []
  const sums = { kills: 0, commits: 0, moves: 0, sends: 0, copies: 0, doubles: 0 }
  for (let seed = from; seed < from + seeds && failures.length < 20; seed++) {
    const { problems, ...life } = liveThrough(seed)
    for (const [name, count] of Object.entries(life)) sums[name as keyof typeof sums] += count
    if (problems.length > 0) failures.push(`seed ${seed}: ${problems.slice(0, 3).join("; ")}`)
  }
  return {
    counts: {
      [`seeds, from ${from} on`]: seeds,
      "processes killed": sums.kills,
      "commits that stood": sums.commits,
      "moves of deliveries, each looked up in the table": sums.moves,
      sends: sums.sends,
      "copies taken by the relay": sums.copies,
      "doubles, each after a marked attempt": sums.doubles,
      "seeds with anything lost, stuck or unexplained": failures.length
    },
    failures
  }
}
