/**
 * What an adapter needs to evaluate queries on a thread of its own: pure functions that load neither Effect nor a schema, so that a
 * worker thread starts in milliseconds and costs little memory.
 */
export { compileContactFilters, searchedTexts } from "./ContactPredicate.ts"
export { freshState, summaryOf } from "./Delivery.ts"
export { folded, logFiltersMatch, newestFirst } from "./Paging.ts"
export type { LoggedMessage, Position } from "./Paging.ts"
export { suppressedFor } from "./Suppression.ts"
export { codePoints } from "./TextLength.ts"
