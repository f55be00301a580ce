/**
 * The options of an event sender: their rules and their defaults.
 */
import { dayMillis, secondMillis } from "../../domain/value/Instant.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { wholeOption } from "../../domain/value/OptionRule.ts"
import { leaseRule } from "../../internal/worker/workerLease.ts"

/** Limits and times of an event sender. */
export interface EventSenderOptions {
  /** At most so many requests at once to each webhook. A webhook that failed 10 times in a row gets one at a time, with pauses. 1 to 10,000. Default 16. */
  readonly perWebhook: number
  /** How long the lease of a worker lasts after each renewal. The worker renews it after a third of this time. 1,000 to 3,600,000. Default 30,000. */
  readonly leaseMillis: number
  /**
   * How long a shutdown waits for event deliveries under way. It then interrupts them. An interrupted event delivery stays pending and due,
   * without a counted attempt. 0 to 86,400,000. Default 5,000.
   */
  readonly graceMillis: number
  /** The longest sleep. A commit of another process is noticed after this time at the latest. 10 to 86,400,000. Default 15,000. */
  readonly sleepMillisMax: number
}

export const eventSenderRules: OptionRules<EventSenderOptions> = {
  perWebhook: wholeOption(1, 10_000),
  leaseMillis: leaseRule,
  graceMillis: wholeOption(0, dayMillis),
  sleepMillisMax: wholeOption(10, dayMillis)
}

export const defaultEventSenderOptions: EventSenderOptions = {
  perWebhook: 16,
  leaseMillis: 30 * secondMillis,
  graceMillis: 5 * secondMillis,
  sleepMillisMax: 15 * secondMillis
}
