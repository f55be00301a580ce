/**
 * Counts the work of operations of the core over SQLite, and compares it with `budget.json`. Counts do not depend on the speed of the machine.
 * Fails when an operation costs more than its budget. `--write` records the counts as the new budget.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { read, root } from "../workspace.ts"
import type { Budget, Work } from "./compareBudget.ts"
import { compareBudget } from "./compareBudget.ts"
import { measureWork } from "./measureWork.ts"
import { recordOperations } from "./recordOperations.ts"
import { sendOperations } from "./sendOperations.ts"

const file = "packages/tools/src/budget/budget.json"

const counted: Record<string, Work> = {}
for (const operation of [...sendOperations, ...recordOperations]) counted[operation.name] = await measureWork(operation)

if (process.argv.includes("--write")) {
  writeFileSync(join(root, file), `${JSON.stringify(counted, null, 2)}\n`)
  console.log(`wrote ${file}`)
} else {
  const { over, under } = compareBudget(counted, JSON.parse(read(file)) as Budget)
  for (const sentence of under) console.log(`less: ${sentence}`)
  for (const sentence of over) console.error(`more: ${sentence}`)
  console.log(
    `budget: ${Object.keys(counted).length} operations, ${over.length} over their budget, ${under.length} under it`
  )
  process.exitCode = over.length === 0 ? 0 : 1
}
