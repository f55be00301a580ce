/**
 * Arbitraries for an author's own properties: a small world in which records meet.
 */
export { change, changes, commit } from "./change.ts"
export { predicate, query, wholeState } from "./query.ts"
export { claim, claimPushes, script, sweep } from "./script.ts"
export { names } from "./smallWorld.ts"
