import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decoder } from "../../../src/domain/value/Issue.ts"

const parse = decoder(
  Schema.Struct({
    status: Schema.Literals(["queued", "delivered"]),
    size: Schema.Number,
    either: Schema.Union([Schema.String, Schema.Number]),
    maybe: Schema.optionalKey(Schema.NullOr(Schema.String)),
    choice: Schema.optionalKey(Schema.NullOr(Schema.Literals(["a", "b"])))
  })
)

const right = { status: "queued", size: 1, either: "a" }

const messagesOf = (input: unknown) => {
  const parsed = parse(input)
  return Result.isSuccess(parsed)
    ? []
    : parsed.failure.map(({ path, code, message }) => [path.join("."), code, message])
}

describe("decoder", () => {
  it.each<[string, object, ReadonlyArray<unknown>]>([
    ["a value that is no choice", { status: "lost" }, ["status", "invalid_type", "must be one of queued, delivered"]],
    ["a value of another type", { size: "large" }, ["size", "invalid_type", "must be a number"]],
    ["a value of none of several types", { either: true }, ["either", "invalid_type", "must be a string or a number"]],
    ["a value that is no text and not null", { maybe: 1 }, ["maybe", "invalid_type", "must be a string or null"]],
    [
      "a value that is no choice and not null",
      { choice: 1 },
      ["choice", "invalid_type", "must be one of a, b or null"]
    ],
    ["an unknown field", { colour: "red" }, ["colour", "unknown_field", "is not a known field"]]
  ])("says what is wrong with %s, and does not repeat it", (_, wrong, expected) => {
    expect(messagesOf({ ...right, ...wrong })).toEqual([expected])
  })

  it("finds no issue in valid values", () => {
    expect(messagesOf(right)).toEqual([])
  })
})
