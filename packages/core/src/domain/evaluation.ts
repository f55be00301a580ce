/**
 * Pure functions with which an adapter evaluates queries on a worker thread.
 * They load neither Effect nor a schema, so that the thread starts in milliseconds and uses little memory.
 */
export { compileContactFilters, searchedTexts } from "./ContactPredicate.ts"
export { freshState, summaryOf } from "./Delivery.ts"
export { caseFold, logFiltersMatch, newestFirst } from "./Paging.ts"
export type { LoggedMessage, Position } from "./Paging.ts"
export { suppressedFor } from "./Suppression.ts"
export { codePoints } from "./TextLength.ts"
