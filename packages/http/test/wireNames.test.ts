/**
 * The names of the request in the issues of a refused request.
 */
import { InvalidArgument } from "@mailkeep/core"
import { issue } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withWireNames } from "../src/server/wireNames.ts"

const names = { previewText: "preview_text", fallbackValue: "fallback_value" }

const renamed = (path: ReadonlyArray<string | number>, argument: "input" | "filters" = "input") => {
  const refusal = new InvalidArgument({ argument, issues: [issue(path, "invalid_value", "is wrong")] })
  const failure = Effect.runSync(Effect.flip(withWireNames(names)(Effect.fail(refusal))))
  return failure.issues[0]!.path
}

describe("withWireNames", () => {
  it("renames a field of the request and a field of a list item", () => {
    expect(renamed(["previewText"])).toEqual(["preview_text"])
    expect(renamed(["variables", 3, "fallbackValue"])).toEqual(["variables", 3, "fallback_value"])
    expect(renamed(["subject"])).toEqual(["subject"])
  })

  it("keeps a key that the caller chose, and the names of other arguments", () => {
    expect(renamed(["variables", "previewText"])).toEqual(["variables", "previewText"])
    expect(renamed(["previewText"], "filters")).toEqual(["previewText"])
  })

  it("passes on a failure that is no InvalidArgument", () => {
    const failure = Effect.runSync(Effect.flip(withWireNames(names)(Effect.fail("other"))))
    expect(failure).toBe("other")
  })
})
