import { describe, expect, it } from "vitest"
import { makeBuilding } from "../src/internal/read/reading.ts"
import { usageAudit } from "../src/internal/read/usageAudit.ts"

describe("usageAudit", () => {
  it("reads the deliveries and the contacts of a project once", () => {
    const { sql } = usageAudit(makeBuilding("mail"), { _tag: "UsageAudit", projectId: "prj_a" })
    expect([...sql.matchAll(/FROM mail\.(\w+)/g)].map(([, table]) => table).toSorted()).toEqual([
      "contacts",
      "counters",
      "deliveries"
    ])
  })
})
