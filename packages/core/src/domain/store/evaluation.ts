/**
 * Pure functions with which an adapter evaluates queries and applies changes on a worker thread.
 * They load neither Effect nor a schema, so that the thread starts in milliseconds and uses little memory.
 *
 * @example
 * ```ts
 * import { caseFold, newestFirst } from "@mailkeep/core/adapter/evaluation"
 *
 * console.log(caseFold("ADA@Example.org")) // ada@example.org
 * console.log(newestFirst({ createdAt: 2, id: "con_b" }, { createdAt: 1, id: "con_a" })) // -1
 * ```
 */
export { compileContactFilters, searchedTexts } from "../contact/ContactPredicate.ts"
export { freshState, summaryOf } from "../delivery/Delivery.ts"
export { claimKinds } from "./Claim.ts"
export { bytesOfChanges } from "./commitSize.ts"
export { revisionConflict } from "./guard.ts"
export { deliveryInstants, nextSweptPosition, sweptCounts, withDeletedCounts } from "./messageSweep.ts"
export { newestFirst } from "./Paging.ts"
export { indexedStatusOf, logFiltersMatch } from "../delivery/LogFilters.ts"
export { caseFold, containsPart, foldedAddressParts, foldedParts } from "./textSearch.ts"
export type { Position } from "./Paging.ts"
export type { LogFilterMessage } from "../delivery/LogFilters.ts"
export { longestDueFirst, roundRobin } from "./Rotation.ts"
export { isSameRecord, storedRecordKey } from "./StoredRecord.ts"
export { recordFields, stateFields } from "./recordFields.ts"
export type { FieldKind, FieldKinds } from "./recordFields.ts"
export { suppressedFor, temporarySuppressionMillis } from "../contact/Suppression.ts"
export { codePoints } from "../value/TextLength.ts"
