/**
 * Writes the generated pages and the layer rules of the lint configuration. With `--check`, writes nothing and fails when a page is not current.
 * With `--laws-from-tests`, takes the verdicts of the adapter matrix from the last run of the whole suite, and does not check each law again.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { adapterPage } from "./adapterPage.ts"
import { budgetPage } from "./budgetPage.ts"
import { brokenStatements, coveragePage, clarificationPage } from "./coveragePage.ts"
import { decisionPage } from "./decisionPage.ts"
import { errorPage } from "./errorPage.ts"
import { failurePage } from "./failurePage.ts"
import { withFiles } from "./includedCode.ts"
import { brokenInvariantRows, invariantPage } from "./invariantPage.ts"
import { architecturePage } from "./layerTable.ts"
import { lintConfig } from "./lintConfig.ts"
import { lastTestRun } from "./lastTestRun.ts"
import { metricsPage } from "./metricsPage.ts"
import { relayReplyPage } from "./relayReplyPage.ts"
import { statePage } from "./statePage.ts"
import { read, root } from "./workspace.ts"

/** Each page, or `undefined` if this machine lacks what makes it. */
const pages: Readonly<Record<string, () => string | Promise<string | undefined>>> = {
  ".oxlintrc.json": lintConfig,
  "docs/adapters/matrix.md": () => adapterPage(process.argv.includes("--laws-from-tests") ? lastTestRun() : undefined),
  "docs/adapters/prove-it.md": () => withFiles("docs/adapters/prove-it.md"),
  "docs/adapters/write-a-store.md": () => withFiles("docs/adapters/write-a-store.md"),
  "docs/architecture.md": architecturePage,
  "docs/decisions/README.md": decisionPage,
  "docs/reference/budget.md": budgetPage,
  "docs/reference/delivery-states.md": statePage,
  "docs/reference/failures.md": failurePage,
  "docs/reference/issue-codes.md": errorPage,
  "docs/reference/invariants.md": invariantPage,
  "docs/reference/metrics.md": metricsPage,
  "docs/reference/relay-replies.md": relayReplyPage,
  "docs/spec/coverage.md": coveragePage,
  "docs/spec/clarifications.md": clarificationPage
}

const checking = process.argv.includes("--check")
const complaints: Array<string> = [...brokenStatements(), ...brokenInvariantRows()]

for (const [file, page] of Object.entries(pages)) {
  const text = await page()
  if (text === undefined) {
    console.log(`skipped ${file}: this machine lacks PostgreSQL`)
    continue
  }
  const current = existsSync(join(root, file)) && read(file) === text
  if (checking && !current) complaints.push(`${file}: is not current; run pnpm generate`)
  if (!checking && !current) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
    console.log(`wrote ${file}`)
  }
}

for (const complaint of complaints) console.error(complaint)
console.log(`generated: ${complaints.length} complaints`)
process.exitCode = complaints.length > 0 ? 1 : 0
