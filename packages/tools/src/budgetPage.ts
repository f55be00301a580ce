/**
 * The reference page of the budget of work.
 */
import type { Budget, WorkKind } from "./budget/compareBudget.ts"
import { workKinds } from "./budget/compareBudget.ts"
import { generatedNotice, table } from "./markdown.ts"
import { read } from "./workspace.ts"

const kinds = Object.keys(workKinds) as ReadonlyArray<WorkKind>

const heads: Readonly<Record<WorkKind, string>> = {
  reads: "Reads",
  writes: "Writes",
  syncs: "Disk syncs",
  bytes: "Bytes",
  messages: "Messages"
}

export const budgetPage = (): string => {
  const budget = JSON.parse(read("packages/tools/src/budget/budget.json")) as Budget
  return `${generatedNotice("`budget.json`, which `pnpm budget --write` records")}
# Budget of work

The work of each operation of the core over SQLite, as counts. \`pnpm budget\` counts the work again, and CI fails when an operation costs more. Counts
do not depend on the speed of the machine. [Performance](../performance.md) has the times.

- **Reads.** ${capitalized(workKinds.reads)}, with the begin and the end of each snapshot.
- **Writes.** ${capitalized(workKinds.writes)}, with the begin and the end of each transaction.
- **Disk syncs.** The transactions that write. Each ends with one disk sync.
- **Bytes.** ${capitalized(workKinds.bytes)}: whole pages of 4 KiB, also when one row of a page changes.
- **Messages.** ${capitalized(workKinds.messages)}: a request to the commit thread or the scan thread, and its reply. An operation
  that writes several times at once has none, because their number depends on the timing.

Bodies have 2 KB. A page of the log or of contacts has 50 items, in a project with 300. The first send and the first turns of the loops are not counted.

${table(
  ["Operation", ...kinds.map((kind) => heads[kind])],
  Object.entries(budget).map(([name, work]) => [name, ...kinds.map((kind) => work[kind]?.toLocaleString("en") ?? "–")])
)}
`
}

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
