import { Result } from "effect"
import type { Issue } from "../../../src/domain/value/Issue.ts"
import { describe, expect, it } from "vitest"
import {
  parseContactQuery,
  parseCreateContact,
  parseUpdateContact
} from "../../../src/domain/contact/ContactRequest.ts"

const issuesOf = (parsed: Result.Result<unknown, ReadonlyArray<Issue>>) =>
  Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []

describe("parseCreateContact", () => {
  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["an address alone", { email: "ada@example.com" }, []],
    [
      "every field",
      {
        email: "ada@example.com",
        userId: "x".repeat(255),
        firstName: "A",
        lastName: "L",
        phoneNumber: "+1",
        properties: { plan: "pro", seats: 3, gone: null }
      },
      []
    ],
    ["no field", {}, ["email required"]],
    ["no address", { email: "ada" }, ["email invalid_value"]],
    ["a long user id", { email: "ada@example.com", userId: "x".repeat(256) }, ["userId too_long"]],
    ["a long name", { email: "ada@example.com", firstName: "x".repeat(101) }, ["firstName too_long"]],
    ["a long phone number", { email: "ada@example.com", phoneNumber: "1".repeat(33) }, ["phoneNumber too_long"]],
    ["null for a name", { email: "ada@example.com", lastName: null }, ["lastName invalid_type"]],
    [
      "a status, which only an update sets",
      { email: "ada@example.com", emailStatus: "subscribed" },
      ["emailStatus unknown_field"]
    ],
    ["a property that is a list", { email: "ada@example.com", properties: { a: [] } }, ["properties.a invalid_type"]],
    [
      "a map as the properties",
      { email: "ada@example.com", properties: new Map([["plan", "pro"]]) },
      ["properties invalid_type"]
    ],
    [
      "two spellings of a property",
      { email: "ada@example.com", properties: { plan: 1, PLAN: 2 } },
      ["properties.PLAN duplicate_property"]
    ],
    [
      "property keys that every object inherits",
      { email: "ada@example.com", properties: JSON.parse('{"__proto__":1,"constructor":"x","toString":null}') },
      []
    ],
    ["a line break in a name", { email: "ada@example.com", firstName: "Ada\nBcc: x" }, ["firstName invalid_value"]],
    [
      "a terminal escape in a name",
      { email: "ada@example.com", lastName: "\u001b[31mred" },
      ["lastName invalid_value"]
    ],
    [
      "a C1 control in a phone number",
      { email: "ada@example.com", phoneNumber: "\u009b1" },
      ["phoneNumber invalid_value"]
    ],
    ["a line separator in a user id", { email: "ada@example.com", userId: "a\u2028b" }, ["userId invalid_value"]],
    [
      "Unicode direction marks, as copied numbers have",
      { email: "ada@example.com", phoneNumber: "\u202a+44 20\u202c", firstName: "\u05d0\u200f" },
      []
    ]
  ])("validates a new contact with %s", (_, body, issues) => expect(issuesOf(parseCreateContact(body))).toEqual(issues))
})

describe("parseUpdateContact", () => {
  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["an address alone", { email: "ada@example.com" }, []],
    [
      "values that clear fields",
      { email: "ada@example.com", userId: null, firstName: "", lastName: "", phoneNumber: "" },
      []
    ],
    ["a status", { email: "ada@example.com", emailStatus: "unsubscribed" }, []],
    ["no address", { firstName: "Ada" }, ["email required"]],
    ["another status", { email: "ada@example.com", emailStatus: "bounced" }, ["emailStatus invalid_value"]]
  ])("validates an update of a contact with %s", (_, body, issues) =>
    expect(issuesOf(parseUpdateContact(body))).toEqual(issues)
  )
})

describe("parseContactQuery", () => {
  it("reads an empty search as no search, which needs no scan of all contacts", () =>
    expect(Result.getOrThrow(parseContactQuery({ search: "" }))).toMatchObject({ search: null }))
})
