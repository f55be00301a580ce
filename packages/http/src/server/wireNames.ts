/**
 * Turns the names of a service's input back into the names of the request, in the issues of a refused request.
 */
import type { Issue } from "@mailkeep/core"
import { InvalidArgument } from "@mailkeep/core"
import { Effect } from "effect"
import type { FieldNames } from "../api/fieldNames.ts"
import { renamedPath } from "../api/fieldNames.ts"

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
  (names: FieldNames) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.mapError(effect, (failure) => withInputPaths(failure, (path) => renamedPath(names, path)))
