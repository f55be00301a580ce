/**
 * The statements of a claim find due deliveries by an index, whatever else waits.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dueStatements } from "../src/internal/claimOrder.ts"
import { openFreshDatabase } from "./freshDatabase.ts"

let database: Awaited<ReturnType<typeof openFreshDatabase>>["database"]
let close: () => void
beforeAll(async () => {
  ;({ database, close } = await openFreshDatabase())
})
afterAll(() => close())

const values = {
  status: "queued",
  now: 5,
  limit: 9,
  projectId: "prj_a",
  bulk: 0,
  from: "prj_a",
  fromBulk: 0,
  to: null,
  toBulk: null,
  full: "[]"
}

/** The steps of the plan that read deliveries. */
const readsOf = (sql: string): ReadonlyArray<string> =>
  (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as ReadonlyArray<{ readonly detail: string }>)
    .map(({ detail }) => detail)
    .filter((detail) => /mailkeep_deliveries|PRIMARY KEY|TEMP B-TREE|AUTOMATIC/.test(detail))

const lane = "SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_lanes (status=? AND project_id=? AND bulk=?"
const firstProject =
  "SEARCH mailkeep_deliveries USING COVERING INDEX mailkeep_deliveries_lanes (status=? AND project_id>?)"
const byId = "SEARCH mailkeep_deliveries USING PRIMARY KEY (id=?)"

describe("dueStatements", () => {
  const { anyDue, ofLane, firstOfLanes } = dueStatements
  it.each([
    [
      "the due deliveries",
      anyDue[0],
      ["SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_due (status=? AND due_at>? AND due_at<?)"]
    ],
    [
      "the due deliveries after the clock was set back",
      anyDue[1],
      ["SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_due (status=? AND due_at>?)"]
    ],
    ["the due deliveries of a lane", ofLane[0], [`${lane} AND due_at>? AND due_at<?)`]],
    ["the due deliveries of a lane after the clock was set back", ofLane[1], [`${lane} AND due_at>?)`]],
    [
      "the first delivery of each due lane",
      firstOfLanes[0],
      [firstProject, firstProject, byId, `${lane} AND due_at>? AND due_at<?)`]
    ],
    [
      "the first delivery of each due lane after the clock was set back",
      firstOfLanes[1],
      [firstProject, firstProject, byId, `${lane} AND due_at>?)`]
    ]
  ])("finds %s by an index, without a scan or a sort", (_, sql, reads) =>
    expect(readsOf(sql).toSorted()).toEqual(reads.toSorted())
  )
})
