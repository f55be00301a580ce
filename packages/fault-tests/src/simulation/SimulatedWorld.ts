/**
 * A deterministic scheduler and clock for several simulated processes. Tasks run one at a time, in an order that the seed decides.
 * Time passes only when no task is ready. A killed process runs no more tasks.
 */
import type { Clock, Scheduler } from "effect"
import { Duration, Effect } from "effect"

interface Task {
  readonly process: SimProcess
  readonly run: () => void
}

interface Sleeper {
  readonly process: SimProcess
  readonly at: number
  readonly wake: () => void
}

/** A simulated process. */
export interface SimProcess {
  /** Its fibers run only while this is true. */
  alive: boolean
  /** Difference of its wall clock to the true time. */
  skewMillis: number
  readonly scheduler: Scheduler.Scheduler
  readonly clock: Clock.Clock
}

/** Schedules the tasks and sleeps of all processes of one simulation. */
export class SimulatedWorld {
  /** The true time. */
  now: number
  readonly random: () => number
  #ready: Array<Task> = []
  #sleeping: Array<Sleeper> = []
  steps = 0

  constructor(start: number, random: () => number) {
    this.now = start
    this.random = random
  }

  process(): SimProcess {
    const process: SimProcess = {
      alive: true,
      skewMillis: 0,
      scheduler: this.#schedulerOf(() => process),
      clock: this.#clockOf(() => process)
    }
    return process
  }

  /** Ends the process at once. None of its tasks and finalizers runs again. */
  kill(process: SimProcess): void {
    process.alive = false
    this.#ready = this.#ready.filter((task) => task.process !== process)
    this.#sleeping = this.#sleeping.filter((sleeper) => sleeper.process !== process)
  }

  #schedulerOf(owner: () => SimProcess): Scheduler.Scheduler {
    const schedule = (run: () => void) => {
      const process = owner()
      if (process.alive) this.#ready.push({ process, run })
    }
    return {
      executionMode: "async",
      // A fiber yields after a number of operations that the seed decides.
      shouldYield: ({ currentOpCount }) => currentOpCount >= 2048 || (currentOpCount > 8 && this.random() < 0.02),
      makeDispatcher: () => ({ scheduleTask: schedule, flush: () => {} })
    }
  }

  #clockOf(owner: () => SimProcess): Clock.Clock {
    const wall = () => this.now + owner().skewMillis
    const nanos = (millis: number) => BigInt(Math.round(millis)) * 1_000_000n
    return {
      currentTimeMillisUnsafe: wall,
      currentTimeMillis: Effect.sync(wall),
      currentTimeNanosUnsafe: () => nanos(wall()),
      currentTimeNanos: Effect.sync(() => nanos(wall())),
      monotonicTimeNanosUnsafe: () => nanos(this.now),
      monotonicTimeNanos: Effect.sync(() => nanos(this.now)),
      // Timers use the true time, not the wall clock.
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const sleeper = {
            process: owner(),
            at: this.now + Math.max(0, Duration.toMillis(duration)),
            wake: () => resume(Effect.void)
          }
          this.#sleeping.push(sleeper)
          return Effect.sync(() => {
            this.#sleeping = this.#sleeping.filter((other) => other !== sleeper)
          })
        })
    }
  }

  /** Runs tasks and lets time pass until `done` returns true or the time is `end`. Calls `between` before each step. Returns `done()`. */
  run(end: number, done: () => boolean, between: () => void = () => {}): boolean {
    while (!done()) {
      this.steps++
      between()
      if (this.#ready.length > 0) {
        const [task] = this.#ready.splice(Math.floor(this.random() * this.#ready.length), 1)
        if (task!.process.alive) task!.run()
      } else if (!this.#passTime(end)) return done()
    }
    return true
  }

  /** Moves the time to the end of the next sleep. Returns false if there is none before `end`. */
  #passTime(end: number): boolean {
    let next: Sleeper | undefined
    for (const sleeper of this.#sleeping) if (next === undefined || sleeper.at < next.at) next = sleeper
    if (next === undefined || next.at > end) return false
    this.now = Math.max(this.now, next.at)
    this.#sleeping = this.#sleeping.filter((sleeper) => sleeper !== next)
    next.wake()
    return true
  }
}
