import { createHash } from "node:crypto"
import { claimableStatuses } from "@mailkeep/core/adapter"
import { checkedColumns, checkListOf, statusesWithDueTime } from "@mailkeep/test-support/checkedColumns"
import { describe, expect, it } from "vitest"
import { migrations } from "../src/internal/migrations.ts"

const sql = migrations.map(({ sql }) => sql("mailkeep")).join("")

const tableSql = (table: string) =>
  new RegExp(`CREATE TABLE mailkeep\\.${table} \\((.*?)\\n\\)`, "s").exec(sql)?.[1] ?? ""

describe("migrations", () => {
  // Existing databases have the tables of these bytes. Add a step; do not change a released step.
  it("keeps the checksum of every released migration", () => {
    const checksums = migrations.map(({ sql }) => createHash("sha256").update(sql("mailkeep")).digest("hex"))
    expect(checksums).toEqual([
      "fe1c3d9b95136c54efb7704812304ba648507c4667433b54dc5c74cf7fd69652",
      "e4cfb97e51c9008c6eb23ee991229a9650e3b5af5411b4f24ab51eee50008dab"
    ])
  })

  it("gives every column of a text the collation of bytes", () => {
    const texts = sql.match(/^ {2}"?\w+"? text.*$/gm) ?? []
    expect(texts.length).toBeGreaterThan(80)
    expect(texts.filter((line) => !line.includes(' text COLLATE "C"'))).toEqual([])
  })
})

describe("the CHECK lists", () => {
  it.each(checkedColumns)("lists the values of the domain in the CHECK of %s.%s", (table, column, values) => {
    expect(checkListOf(tableSql(table), column)).toEqual(values)
  })

  it("has a due time exactly in the statuses that a claim can take", () => {
    expect(statusesWithDueTime(tableSql("deliveries"))).toEqual([...claimableStatuses])
  })
})
