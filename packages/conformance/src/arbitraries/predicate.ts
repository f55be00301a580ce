/**
 * Arbitraries for the filter of a segment.
 */
import type { ComparedField, ContactPredicate } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import { instant, of, record, tagged } from "./sharedIds.ts"

const textField = of<ComparedField>(
  { field: "firstName" },
  { field: "lastName" },
  { field: "email" },
  { field: "userId" },
  { field: "phoneNumber" },
  { field: "emailStatus" },
  { property: "prop_1", fallback: null },
  { property: "prop_1", fallback: "ada" }
)

const numberField = of<ComparedField>({ property: "prop_0", fallback: null }, { property: "prop_0", fallback: 2 })

const dateField = of<ComparedField>(
  { field: "createdAt" },
  { field: "updatedAt" },
  { property: "prop_2", fallback: null }
)

const comparison: fc.Arbitrary<ContactPredicate> = fc.oneof(
  tagged(
    "Compare",
    record({
      kind: of("text" as const),
      of: textField,
      op: of("eq", "ne", "contains", "starts_with", "ends_with"),
      value: of("ada", "A", "ä", "b", "ß", "🎉", "null", "subscribed", "UPPER", "")
    })
  ),
  tagged(
    "Compare",
    record({
      kind: of("text" as const),
      of: textField,
      op: of("in" as const),
      value: of<ReadonlyArray<string>>(["ADA", "x%y_z"], ["Subscribed"], ["äö", "upper", ""], [])
    })
  ),
  tagged(
    "Compare",
    record({
      kind: of("number" as const),
      of: numberField,
      op: of("eq", "ne", "lt", "lte", "gt", "gte"),
      value: of(1, 2, -1.5, 9)
    })
  ),
  tagged(
    "Compare",
    record({ kind: of("number" as const), of: numberField, op: of("in" as const), value: of([10, 2], [-1.5]) })
  ),
  tagged(
    "Compare",
    record({
      kind: of("date" as const),
      of: dateField,
      op: of("before", "after"),
      value: fc.oneof(instant, of(Date.UTC(2026, 2, 1)))
    })
  ),
  tagged("Compare", record({ kind: of("text" as const), of: textField, op: of("set", "unset"), value: of(null) }))
)

/** The filter of a segment, up to three levels deep. */
export const predicate: fc.Arbitrary<ContactPredicate> = fc.letrec<{ node: ContactPredicate }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    tagged("OnList", record({ listId: of("lst_0", "lst_1", "lst_9") })),
    tagged("Not", record({ of: tie("node") })),
    tagged("All", record({ of: fc.array(tie("node"), { maxLength: 2 }) })),
    tagged("Any", record({ of: fc.array(tie("node"), { maxLength: 2 }) }))
  )
})).node
