import { describe, expect, it } from "vitest"
import type { ContactPredicate } from "../../../src/domain/contact/ContactPredicate.ts"
import { listIdsOf, withoutLists } from "../../../src/domain/contact/predicateLists.ts"
import {
  compileContactFilters,
  compilePredicate,
  noContactFilters
} from "../../../src/domain/contact/ContactPredicate.ts"
import type { ContactRecord } from "../../../src/domain/contact/Contact.ts"

const ada: ContactRecord = {
  id: "con_1",
  projectId: "prj_a",
  email: "Ada@Example.org",
  address: "ada@example.org",
  userId: null,
  firstName: "ADA",
  lastName: "Lovelace",
  phoneNumber: "",
  emailStatus: "subscribed",
  source: "manual",
  properties: { prop_n: -1.5, prop_d: "2026-03-01" },
  listIds: ["lst_1"],
  createdAt: 1000,
  updatedAt: 2000,
  revision: 1
}

type Compare = Extract<ContactPredicate, { _tag: "Compare" }>
const compare = (kind: Compare["kind"], of: Compare["of"], op: Compare["op"], value: Compare["value"]): Compare => ({
  _tag: "Compare",
  kind,
  of,
  op,
  value
})

const first = { field: "firstName" } as const
const phone = { field: "phoneNumber" } as const
const place = { property: "prop_x", fallback: "Νικοσια σοφός" } as const
const number = { property: "prop_n", fallback: null } as const
const missing = { property: "prop_x", fallback: null } as const
const fallback = { property: "prop_x", fallback: 7 } as const
const day = { property: "prop_d", fallback: null } as const

describe("compilePredicate", () => {
  it.each<readonly [ContactPredicate, boolean]>([
    [compare("text", first, "eq", "ada"), true],
    [compare("text", first, "ne", "ada"), false],
    [compare("text", first, "contains", "D"), true],
    [compare("text", first, "starts_with", "ad"), true],
    [compare("text", first, "starts_with", "d"), false],
    [compare("text", first, "ends_with", "DA"), true],
    [compare("text", first, "in", ["x", "Ada"]), true],
    [compare("text", first, "in", ["x"]), false],
    [compare("text", place, "starts_with", "ΝΙΚΟΣ"), true],
    [compare("text", place, "contains", "νικος"), true],
    [compare("text", place, "ends_with", "ΌΣ"), true],
    [compare("text", place, "eq", "ΝΙΚΟΣΙΑ ΣΟΦΌΣ"), true],
    [compare("text", phone, "set", null), false],
    [compare("text", phone, "unset", null), true],
    [compare("text", phone, "ne", "1"), true],
    [compare("text", phone, "in", ["1"]), false],
    [compare("text", phone, "contains", ""), false],
    [compare("number", number, "lt", 0), true],
    [compare("number", number, "lte", -1.5), true],
    [compare("number", number, "gt", -1.5), false],
    [compare("number", number, "gte", -1.5), true],
    [compare("number", missing, "lt", 9), false],
    [compare("number", missing, "ne", 9), true],
    [compare("number", fallback, "eq", 7), true],
    [compare("number", fallback, "in", [7, 8]), true],
    [compare("date", day, "before", Date.UTC(2026, 2, 1) + 1), true],
    [compare("date", day, "after", Date.UTC(2026, 2, 1)), false],
    [compare("date", { field: "createdAt" }, "after", 999), true],
    [{ _tag: "OnList", listId: "lst_1" }, true],
    [{ _tag: "OnList", listId: "lst_2" }, false],
    [{ _tag: "All", of: [] }, true],
    [{ _tag: "Any", of: [] }, false],
    [{ _tag: "Not", of: { _tag: "Any", of: [] } }, true],
    [{ _tag: "All", of: [{ _tag: "OnList", listId: "lst_1" }, compare("text", first, "eq", "bob")] }, false],
    [{ _tag: "Any", of: [{ _tag: "OnList", listId: "lst_2" }, compare("text", first, "eq", "ada")] }, true]
  ])("evaluates the predicate %j to %s", (predicate, expected) => {
    expect(compilePredicate(predicate)(ada)).toBe(expected)
  })
})

describe("withoutLists", () => {
  const onList = { _tag: "OnList", listId: "lst_1" } as const
  const onOther = { _tag: "OnList", listId: "lst_2" } as const
  const all: ContactPredicate = { _tag: "All", of: [onList, { _tag: "Any", of: [{ _tag: "Not", of: onOther }] }] }

  it("finds each list of a predicate, also in its parts", () => {
    expect(listIdsOf(all)).toEqual(["lst_1", "lst_2"])
    expect(listIdsOf(compare("text", first, "eq", "ada"))).toEqual([])
  })

  it.each<readonly [string, ContactPredicate, boolean]>([
    ["a deleted list", onList, false],
    ["not a deleted list", { _tag: "Not", of: onList }, true],
    ["a deleted list and another part", all, false],
    ["a deleted list or another part", { _tag: "Any", of: [onList, compare("text", first, "eq", "ada")] }, true]
  ])("matches no contact as being on a deleted list: %s", (_, predicate, expected) => {
    expect(compilePredicate(withoutLists(predicate, new Set(["lst_1"])))(ada)).toBe(expected)
    expect(withoutLists(predicate, new Set())).toEqual(predicate)
  })
})

describe("compileContactFilters", () => {
  it.each([
    [{}, true],
    [{ search: "ADA LOVE" }, true],
    [{ search: "lovelace ada" }, false],
    [{ search: "@example" }, true],
    [{ emailStatus: "unsubscribed" }, false],
    [{ listId: "lst_1", search: "ada" }, true],
    [{ listId: "lst_2", search: "ada" }, false],
    [{ segment: { _tag: "Any", of: [] } }, false]
  ] as const)("evaluates the filters %j to %s", (filters, expected) => {
    expect(compileContactFilters({ ...noContactFilters, ...filters })(ada)).toBe(expected)
  })
})
