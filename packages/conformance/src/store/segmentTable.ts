/**
 * The law of segments with literal results: it does not use the functions of the domain.
 */
import type { ComparedField, ContactRecord, ContactPredicate } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, put } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { contactPage } from "./queries.ts"
import { idsOf, noon, numbered } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0026-lists-and-segments.md")

type Compare = Extract<ContactPredicate, { readonly _tag: "Compare" }>

const march = Date.UTC(2026, 2, 1)

const people: ReadonlyArray<ContactRecord> = [
  {
    firstName: "ÄNNE",
    lastName: "Groß",
    userId: null,
    phoneNumber: null,
    properties: {},
    listIds: []
  },
  {
    firstName: "",
    lastName: "%_",
    userId: "U-2",
    phoneNumber: "",
    emailStatus: "unsubscribed",
    properties: { prop_n: 7, prop_t: "Gold", prop_d: "2026-03-01" },
    listIds: ["lst_a"],
    createdAt: noon + 1,
    updatedAt: noon + 5
  },
  {
    firstName: "ann",
    lastName: "🎉🎊",
    userId: "u-3",
    source: "import",
    properties: { prop_n: -1.5, prop_t: "", prop_d: "2026-03-01T01:00:00+01:00" },
    listIds: ["lst_a", "lst_b"],
    createdAt: noon + 2,
    updatedAt: noon + 4
  },
  {
    firstName: "🎉 Ann",
    lastName: "null",
    userId: "10",
    properties: { prop_n: 10, prop_t: "golden", prop_d: "2026-02-28T23:59:59.999Z" },
    listIds: ["lst_b"],
    createdAt: noon + 3,
    updatedAt: noon + 3
  }
].map((change, n) =>
  sample.contact({
    id: numbered("con", n + 1),
    email: `P${n + 1}@Example.org`,
    address: `p${n + 1}@example.org`,
    ...(change as Partial<ContactRecord>)
  })
)

const first: ComparedField = { field: "firstName" }
const last: ComparedField = { field: "lastName" }
const phone: ComparedField = { field: "phoneNumber" }
const user: ComparedField = { field: "userId" }
const number: ComparedField = { property: "prop_n", fallback: null }
const numberOr7: ComparedField = { property: "prop_n", fallback: 7 }
const tier: ComparedField = { property: "prop_t", fallback: null }
const tierOrGold: ComparedField = { property: "prop_t", fallback: "GOLD" }
const day: ComparedField = { property: "prop_d", fallback: null }
const dayOrMarch: ComparedField = { property: "prop_d", fallback: "2026-03-01" }
/** A text that is no date, as a date. */
const noDay: ComparedField = { property: "prop_t", fallback: null }
const none: ComparedField = { property: "prop_x", fallback: null }

type Row = readonly [Compare["kind"], ComparedField, Compare["op"], Compare["value"], ReadonlyArray<number>]

/** Comparisons, each with the numbers of the contacts that match. A missing value matches only `ne` and `unset`. */
const rows: ReadonlyArray<Row> = [
  ["text", first, "eq", "ANN", [3]],
  ["text", first, "eq", "änne", [1]],
  ["text", first, "eq", "anne", []],
  ["text", first, "ne", "Ann", [1, 2, 4]],
  ["text", first, "contains", "NN", [1, 3, 4]],
  ["text", first, "contains", "🎉", [4]],
  ["text", first, "contains", " ", [4]],
  ["text", first, "starts_with", "AN", [3]],
  ["text", first, "starts_with", "🎉 a", [4]],
  ["text", first, "ends_with", "NN", [3, 4]],
  ["text", first, "ends_with", "nne", [1]],
  ["text", first, "in", ["ANN", "x"], [3]],
  ["text", first, "in", ["🎉 ANN", "Änne"], [1, 4]],
  ["text", first, "in", [], []],
  ["text", first, "in", [""], []],
  ["text", first, "set", null, [1, 3, 4]],
  ["text", first, "unset", null, [2]],
  ["text", last, "eq", "🎉🎊", [3]],
  ["text", last, "eq", "🎉", []],
  ["text", last, "starts_with", "🎉", [3]],
  ["text", last, "ends_with", "🎊", [3]],
  ["text", last, "contains", "%", [2]],
  ["text", last, "contains", "_", [2]],
  ["text", last, "starts_with", "%", [2]],
  ["text", last, "ends_with", "_", [2]],
  ["text", last, "eq", "GROSS", []],
  ["text", last, "ends_with", "SS", []],
  ["text", last, "eq", "NULL", [4]],
  ["text", phone, "set", null, [3, 4]],
  ["text", phone, "unset", null, [1, 2]],
  ["text", phone, "ne", "+44 20", [1, 2]],
  ["text", phone, "eq", "", []],
  ["text", phone, "contains", "4", [3, 4]],
  ["text", phone, "in", ["+44 20"], [3, 4]],
  ["text", user, "eq", "u-2", [2]],
  ["text", user, "ne", "U-3", [1, 2, 4]],
  ["text", user, "unset", null, [1]],
  ["text", user, "eq", "10", [4]],
  ["text", user, "in", ["U-3", "u-2"], [2, 3]],
  ["text", { field: "email" }, "eq", "p1@EXAMPLE.org", [1]],
  ["text", { field: "email" }, "ends_with", "@example.ORG", [1, 2, 3, 4]],
  ["text", { field: "emailStatus" }, "eq", "unsubscribed", [2]],
  ["text", { field: "emailStatus" }, "in", ["Subscribed"], [1, 3, 4]],
  ["text", { field: "source" }, "eq", "import", [3]],
  ["text", { field: "source" }, "ne", "import", [1, 2, 4]],
  ["text", tier, "eq", "gold", [2]],
  ["text", tier, "ne", "gold", [1, 3, 4]],
  ["text", tier, "starts_with", "gold", [2, 4]],
  ["text", tier, "set", null, [2, 4]],
  ["text", tier, "unset", null, [1, 3]],
  ["text", tier, "in", ["GOLD", "silver"], [2]],
  ["text", tierOrGold, "eq", "gold", [1, 2]],
  ["text", tierOrGold, "unset", null, [3]],
  ["text", none, "ne", "x", [1, 2, 3, 4]],
  ["text", none, "contains", "", []],
  ["text", none, "unset", null, [1, 2, 3, 4]],
  ["number", number, "eq", 7, [2]],
  ["number", number, "ne", 7, [1, 3, 4]],
  ["number", number, "lt", 7, [3]],
  ["number", number, "lte", 7, [2, 3]],
  ["number", number, "gt", 7, [4]],
  ["number", number, "gte", 7, [2, 4]],
  ["number", number, "lt", 0, [3]],
  ["number", number, "gt", -1.5, [2, 4]],
  ["number", number, "gte", -1.5, [2, 3, 4]],
  ["number", number, "gt", 9, [4]],
  ["number", number, "in", [10, -1.5], [3, 4]],
  ["number", number, "set", null, [2, 3, 4]],
  ["number", number, "unset", null, [1]],
  ["number", numberOr7, "eq", 7, [1, 2]],
  ["number", numberOr7, "lt", 8, [1, 2, 3]],
  ["number", numberOr7, "unset", null, []],
  ["date", { field: "createdAt" }, "after", noon + 1, [3, 4]],
  ["date", { field: "createdAt" }, "before", noon + 1, [1]],
  ["date", { field: "updatedAt" }, "after", noon + 3, [2, 3]],
  ["date", { field: "updatedAt" }, "before", noon + 5, [1, 3, 4]],
  ["date", { field: "updatedAt" }, "after", noon + 5, []],
  ["date", day, "before", march, [4]],
  ["date", day, "before", march + 1, [2, 3, 4]],
  ["date", day, "after", march - 1, [2, 3]],
  ["date", day, "after", march, []],
  ["date", day, "set", null, [2, 3, 4]],
  ["date", day, "unset", null, [1]],
  ["date", noDay, "set", null, []],
  ["date", noDay, "unset", null, [1, 2, 3, 4]],
  ["date", noDay, "after", 0, []],
  ["date", dayOrMarch, "after", march - 1, [1, 2, 3]]
]

const onList = (listId: string): ContactPredicate => ({ _tag: "OnList", listId })
const isAnn: ContactPredicate = { _tag: "Compare", kind: "text", of: first, op: "eq", value: "ann" }
const hasNumber: ContactPredicate = { _tag: "Compare", kind: "number", of: number, op: "set", value: null }

/** Combined filters, each with the numbers of the contacts that match. */
const combined: ReadonlyArray<readonly [ContactPredicate, ReadonlyArray<number>]> = [
  [{ _tag: "All", of: [] }, [1, 2, 3, 4]],
  [{ _tag: "Any", of: [] }, []],
  [onList("lst_a"), [2, 3]],
  [onList("LST_A"), []],
  [onList("lst_"), []],
  [{ _tag: "Not", of: onList("lst_a") }, [1, 4]],
  [{ _tag: "All", of: [onList("lst_a"), onList("lst_b")] }, [3]],
  [{ _tag: "Any", of: [onList("lst_a"), onList("lst_b")] }, [2, 3, 4]],
  [{ _tag: "Not", of: { _tag: "Any", of: [isAnn, hasNumber] } }, [1]],
  [{ _tag: "Not", of: { _tag: "All", of: [isAnn, hasNumber] } }, [1, 2, 4]],
  [{ _tag: "Not", of: { _tag: "Compare", kind: "number", of: number, op: "gt", value: 0 } }, [1, 3]],
  [{ _tag: "Not", of: { _tag: "Not", of: isAnn } }, [3]],
  [{ _tag: "Any", of: [{ _tag: "All", of: [onList("lst_b"), { _tag: "Not", of: isAnn }] }, isAnn] }, [3, 4]]
]

const literal = law(
  "contacts/segment-table",
  "Each comparison of a segment finds exactly the contacts of a written table: missing values, any case, every field, and any nesting.",
  function* (store) {
    yield* commit(store, ...people.map((one) => put.contact(one)))
    const cases = [
      ...rows.map(([kind, of, op, value, found]) => [{ _tag: "Compare", kind, of, op, value }, found] as const),
      ...combined
    ]
    for (const [segment, found] of cases) {
      const { items, total } = yield* contactPage(store, { segment })
      const label = JSON.stringify(segment)
      yield* same(
        `the contacts in ${label}`,
        idsOf(items),
        found.toReversed().map((n) => numbered("con", n))
      )
      yield* same(`the number of contacts in ${label}`, total, found.length)
    }
  }
)

export const segmentTableLaws: ReadonlyArray<StoreLaw> = [literal]
