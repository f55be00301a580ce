/**
 * Turns the names of a service's input back into the names of the request, in the issues of a refused request.
 */
import type { Issue } from "@mailkeep/core"
import { InvalidArgument } from "@mailkeep/core"
import { Effect } from "effect"

/** The names of the request, by the names of the service. A name that is absent is the same in both. */
export type WireNames = Readonly<Record<string, string>>

/** Renames the fields of the request and of its list items. A key that the caller chose, such as `variables.fromName`, stays as it is. */
const wirePath = (names: WireNames, path: Issue["path"]): Issue["path"] =>
  path.map((part, n) => {
    const isField = n === 0 || typeof path[n - 1] === "number"
    return isField && typeof part === "string" && Object.hasOwn(names, part) ? names[part]! : part
  })

/** Changes the paths of the issues about the input. Every other failure stays as it is. */
export const withInputPaths = <E>(failure: E, change: (path: Issue["path"]) => Issue["path"]): E =>
  failure instanceof InvalidArgument && failure.argument === "input"
    ? (new InvalidArgument({
        argument: "input",
        issues: failure.issues.map((one) => ({ ...one, path: change(one.path) }))
      }) as E)
    : failure

/** Renames the fields in the issues about the input of a use case. */
export const withWireNames =
  (names: WireNames) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.mapError(effect, (failure) => withInputPaths(failure, (path) => wirePath(names, path)))
