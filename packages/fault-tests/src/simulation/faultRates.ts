/**
 * The faults and limits of one simulation.
 */
import { hourMillis, minuteMillis, secondMillis } from "@mailkeep/core/adapter"
import { seeded } from "../seeded.ts"
import type { StoreFaults } from "./faultyStore.ts"

export const jumpsAtMost = 2
export const jumpMillisMax = 24 * hourMillis

/** Draws the rates that have numbers of their own, so that the rest of a seed stays as it was before they existed. */
const drawnApart = (random: () => number) => ({
  /** Whether the relay is reached by a transport that signals the end of data. Without it, an attempt is finalizing from its beginning. */
  signalsFinalize: random() < 0.7,
  /** Part of the ends of processes that are shutdowns: the process gets its grace time, and its finalizers run. The others are kills. */
  shutdownShare: random() < 0.4 ? 0.5 : 0,
  /** How many delivery reports arrive during the faults. */
  reportsMax: random() < 0.5 ? 5 + Math.floor(random() * 25) : 0,
  /** Part of the copies at the relay about which a report arrives before the relay answers. */
  earlyReportShare: random() < 0.3 ? 0.15 : 0,
  /** How long a dispatcher sleeps that expects nothing. A long sleep shows a wake-up that is missing, and costs less. */
  sleepMillisMax: random() < 0.25 ? 5 * minuteMillis : hourMillis
})

/** Draws the rates of a seed. */
export const drawFaultRates = (random: () => number, seed: number) => ({
  ...drawnApart(seeded(seed ^ 0x5bd1e995)),
  faultMillis: (0.2 + random() * 3) * hourMillis,
  killsMax: Math.floor(random() * 5),
  jumpsMax: random() < 0.3 ? jumpsAtMost : 0,
  /** Whether the processes have one clock, as on one machine, or each has its own. */
  hasOneClock: random() < 0.7,
  jumpMillisMin: secondMillis,
  callsMax: 20 + Math.floor(random() * 30),
  allowance: random() < 0.3 ? 20 : null,
  hasWebhook: random() < 0.3,
  store: {
    failBefore: random() < 0.5 ? random() * 8 : 0,
    failAfter: random() < 0.5 ? random() * 8 : 0,
    delayMillisMax: random() < 0.5 ? 2000 : 0
  } satisfies StoreFaults
})

/** How often each fault happens, and how much the callers do. */
export type FaultRates = ReturnType<typeof drawFaultRates>
