/**
 * The options of a dispatcher: their rules and their defaults.
 */
import type { RetentionOptions } from "../../domain/store/Retention.ts"
import { retentionRules } from "../../domain/store/Retention.ts"
import { dayMillis, secondMillis } from "../../domain/value/Instant.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { optionsOf, wholeOption } from "../../domain/value/OptionRule.ts"
import { leaseRule } from "../../internal/worker/workerLease.ts"

/** Limits and times of a dispatcher. */
export interface DispatcherOptions {
  /** At most so many hand-offs at once. 1 to 10,000. Default 32. The transport can take fewer (`handOffsAtOnceMax`). */
  readonly concurrency: number
  /**
   * At most so many hand-offs of one project at once, so that slow hand-offs of one project do not hold up the others. 1 to 10,000.
   * Default: `concurrency - min(4, floor(concurrency / 4))`, which is 28 for 32.
   */
  readonly concurrencyPerProject: number
  /** How long the lease of a worker lasts after each renewal. The worker renews it after a third of this time. 1,000 to 3,600,000. Default 30,000. */
  readonly leaseMillis: number
  /**
   * How long a shutdown waits for hand-offs under way. It then interrupts them, and their deliveries return to the queue. A hand-off that is
   * interrupted while finalizing is an ambiguous attempt. 0 to 86,400,000. Default 15,000.
   */
  readonly graceMillis: number
  /** The longest sleep. A jump of the clock and a lapsed lease are noticed after this time at the latest. 10 to 86,400,000. Default 15,000. */
  readonly sleepMillisMax: number
  /** How long records are kept. The dispatcher deletes them later. */
  readonly retention: RetentionOptions
}

export const dispatcherRules: OptionRules<DispatcherOptions> = {
  concurrency: wholeOption(1, 10_000),
  concurrencyPerProject: wholeOption(1, 10_000),
  leaseMillis: leaseRule,
  graceMillis: wholeOption(0, dayMillis),
  sleepMillisMax: wholeOption(10, dayMillis),
  retention: optionsOf(retentionRules)
}

/** How many hand-offs one project leaves to the others, unless `concurrencyPerProject` says otherwise. */
const leftToOtherProjects = (concurrency: number): number => Math.min(4, Math.floor(concurrency / 4))

const defaultDispatcherOptions: Omit<DispatcherOptions, "concurrencyPerProject"> = {
  concurrency: 32,
  leaseMillis: 30 * secondMillis,
  graceMillis: 15 * secondMillis,
  sleepMillisMax: 15 * secondMillis,
  retention: {}
}

/** The options with their defaults, for a transport that takes at most `atOnceMax` hand-offs at once. */
export const dispatcherSettings = (
  options: Partial<DispatcherOptions>,
  atOnceMax = Number.POSITIVE_INFINITY
): DispatcherOptions => {
  const concurrency = Math.min(options.concurrency ?? defaultDispatcherOptions.concurrency, atOnceMax)
  return {
    ...defaultDispatcherOptions,
    concurrencyPerProject: concurrency - leftToOtherProjects(concurrency),
    ...options,
    concurrency
  }
}
