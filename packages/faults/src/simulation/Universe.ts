/**
 * A universe in which nothing happens by itself: tasks run one at a time in an order that a seed chooses, time passes only when no
 * task is left, and a process that is killed runs no further.
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

/** Fibers run only while this is true. */
export interface SimProcess {
  alive: boolean
  /** How far its wall clock is off. */
  skewMillis: number
  readonly scheduler: Scheduler.Scheduler
  readonly clock: Clock.Clock
}

export class Universe {
  /** What truly is the time. */
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

  /** Nothing of it runs again, no finalizer either. */
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
      // A fiber gives way after a while, sooner or later as the seed has it.
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
      // Timers do not follow the wall clock.
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

  /** Runs tasks and lets time pass until `done`, or until `end`. Answers whether it is done. */
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

  /** On to the next sleeper's end. */
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
