/**
 * The result of a conformance run: a verdict for each law, as data, JSON or Markdown.
 */
import type { Capabilities } from "./Law.ts"

/** Every verdict on a law. `waiver-stale`: the law is waived, but the waiver has ended or is not needed. */
export const verdicts = ["held", "broken", "not applicable", "waived", "waiver-stale"] as const
/** The verdict on a law. */
export type Verdict = (typeof verdicts)[number]

/** The verdict on one law, with the reason. */
export interface LawReport {
  readonly id: string
  readonly statement: string
  readonly why: string
  readonly verdict: Verdict
  /** How the adapter breaks the law, which capability is missing, or why the law is waived. `null` if the law is held. */
  readonly detail: string | null
}

/** The result of a run: what the adapter declares, and a verdict for each law. */
export interface Report {
  readonly adapter: string
  readonly port: string
  readonly capabilities: Capabilities
  readonly laws: ReadonlyArray<LawReport>
}

/** The number of laws with each verdict. */
export const counted = ({ laws }: Report): Readonly<Record<Verdict, number>> => {
  const count = (verdict: Verdict) => laws.filter((law) => law.verdict === verdict).length
  return {
    held: count("held"),
    broken: count("broken"),
    "not applicable": count("not applicable"),
    waived: count("waived"),
    "waiver-stale": count("waiver-stale")
  }
}

/** Returns `true` if no law is broken and no waiver is stale. */
export const isConforming = (report: Report): boolean => {
  const counts = counted(report)
  return counts.broken === 0 && counts["waiver-stale"] === 0
}

const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const cell = (text: string): string => oneLine(text).replaceAll("|", "\\|")

const row = (cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`

/** The report as a Markdown section with a table of the laws. */
export const toMarkdown = (report: Report): string => {
  const counts = Object.entries(counted(report)).filter(([, count]) => count > 0)
  return [
    `## ${report.adapter}: ${isConforming(report) ? "conforms" : "does not conform"}`,
    "",
    `${report.laws.length} laws of the ${report.port}: ${counts.map(([verdict, count]) => `${count} ${verdict}`).join(", ")}.`,
    `Capabilities: ${Object.entries(report.capabilities)
      .map(([name, value]) => `\`${name}: ${JSON.stringify(value)}\``)
      .join(", ")}.`,
    "",
    row(["Law", "Says", "Verdict", ""]),
    row(["---", "---", "---", "---"]),
    ...report.laws.map(({ id, statement, verdict, detail }) => row([`\`${id}\``, statement, verdict, detail ?? ""])),
    ""
  ].join("\n")
}

/** The report as JSON, with `counts`: the number of laws with each verdict. */
export const toJson = (report: Report): string => JSON.stringify({ ...report, counts: counted(report) }, null, 2)
