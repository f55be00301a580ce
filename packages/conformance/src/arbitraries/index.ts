/**
 * Arbitraries for the properties of adapter authors. They draw ids from a small set, so that changes and queries share
 * records.
 */
export { change, changes, commit } from "./change.ts"
export { predicate } from "./predicate.ts"
export { query } from "./query.ts"
export { wholeState } from "./wholeState.ts"
export { claim, claimEventDeliveries, script, sweep, sweepMessages } from "./script.ts"
export { names } from "./sharedIds.ts"
