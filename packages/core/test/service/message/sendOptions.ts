/**
 * Options and recipients of sends.
 */
import { formatInstant } from "../../../src/index.ts"

export const at = (instant: number) => ({ scheduledAt: formatInstant(instant) })

export const many = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)
