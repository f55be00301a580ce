/**
 * What the implementations of a `ProjectHandle` share: the iteration of lists, the options of a call, addresses
 * with a name, and the failures. Loads no part of Effect.
 *
 * @example
 * ```ts
 * import { eachOfPages } from "@mailkeep/core/handle/calls"
 *
 * const lists = [{ id: "lst_1" }, { id: "lst_2" }]
 * const pageOf = ({ page = 1, limit = 50 }) =>
 *   Promise.resolve({ items: lists.slice((page - 1) * limit, page * limit), total: lists.length, page, limit })
 * for await (const { id } of eachOfPages(pageOf)) console.log(id)
 * ```
 */
export { splitNamedAddress } from "../domain/message/splitNamedAddress.ts"
export type { SplitAddress } from "../domain/message/splitNamedAddress.ts"
export { callIssues, isAbortSignal } from "./CallOptions.ts"
export { failureGuard, serviceFailureKinds } from "./failureGuard.ts"
export type { FailureKinds, ServiceFailure } from "./failureGuard.ts"
export { eachOfCursors, eachOfPages } from "./iteration.ts"
export { withOwnMessage } from "./ownMessage.ts"
