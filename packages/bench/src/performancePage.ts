/**
 * The part of `docs/performance.md` that comes from the results.
 */
import { machineText } from "./machine.ts"
import type { Disk, Goal, Metric, Row } from "./Row.ts"
import type { RowResult, SideResult } from "./results.ts"
import { goalValue, isReached } from "./results.ts"

const diskNames: Readonly<Record<Disk, string>> = { "as-is": "as it is", "2ms": "sync + 2 ms", "20ms": "sync + 20 ms" }

/** A number that a person can compare: no more digits than it has of significance. */
export const numberText = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)))

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [rows[0]!, rows[0]!.map(() => "---"), ...rows.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const peersOf = ({ sides }: RowResult): ReadonlyArray<SideResult> => sides.slice(1)

const figureText = (side: SideResult | undefined, metric: string): string => {
  const spread = side?.figures[metric]
  return spread === undefined ? "" : numberText(spread.median)
}

const ratioText = (side: SideResult | undefined, metric: string): string => {
  const ratio = side?.ratios?.[metric]
  return ratio === undefined ? "" : ` (${numberText(ratio)})`
}

/** One line for each disk and metric. The ratio of Mailkeep to a peer follows the value of the peer. */
const figuresTable = ({ metrics }: Row, results: ReadonlyArray<RowResult>): string => {
  const names = [...new Set(results.flatMap((result) => peersOf(result).map(({ name }) => name)))]
  const line = (result: RowResult, { name, unit }: Metric) => [
    diskNames[result.disk],
    name === unit ? name : `${name}, ${unit}`,
    `**${figureText(result.sides[0], name)}**`,
    ...names.map((peer) => {
      const side = peersOf(result).find((one) => one.name === peer)
      return figureText(side, name) + ratioText(side, name)
    })
  ]
  return table([
    ["Disk", "Value", "Mailkeep", ...names.map((name) => `${name} (ratio)`)],
    ...results.flatMap((result) => metrics.map((metric) => line(result, metric)))
  ])
}

const goalText = (goal: Goal, { metrics }: Row): string => {
  const { unit } = metrics.find(({ name }) => name === goal.metric)!
  return "value" in goal
    ? `${goal.metric} ${goal.is} ${numberText(goal.value)} ${unit}`
    : `${goal.metric} ${goal.is} ${goal.ratio} times ${goal.peer}`
}

const reachedText = (goal: Goal, result: RowResult): string => {
  const value = goalValue(result, goal)
  if (value === undefined) return `${diskNames[result.disk]}: not measured`
  return `${diskNames[result.disk]}: ${numberText(value)}, ${isReached(value, goal) ? "reached" : "**not reached**"}`
}

const goalLines = (row: Row, results: ReadonlyArray<RowResult>): string =>
  row.goals
    .map((goal) => `- Goal: ${goalText(goal, row)}. ${results.map((result) => reachedText(goal, result)).join("; ")}.`)
    .join("\n")

/** Where the plot of a row is, from `docs`. */
export const plotFile = ({ name }: Row): string => `images/performance-${name}.svg`

const section = (row: Row, results: ReadonlyArray<RowResult>): string => {
  const [{ rounds, size }] = results as readonly [RowResult, ...Array<RowResult>]
  const { metrics } = row
  const [{ name, unit, better }] = metrics
  const shown = row.curve === undefined ? name : `each value over the number of ${row.curve.records}`
  return [
    `### ${row.title}`,
    row.about,
    figuresTable(row, results),
    ...(row.goals.length === 0 ? [] : [goalLines(row, results)]),
    `![${shown} in ${unit}; ${better} is better](${plotFile(row)})`,
    `\`pnpm bench ${row.name}\`: ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`}, ${size} size, load average ${results.map(({ load }) => load).join(" and ")}.`
  ].join("\n\n")
}

const resultsOf = ({ name }: Row, results: ReadonlyArray<RowResult>) => results.filter(({ row }) => row === name)

const overview = (rows: ReadonlyArray<Row>, results: ReadonlyArray<RowResult>): string => {
  const lines = rows.map((row) => {
    const own = resultsOf(row, results)
    const checked = own.flatMap((result) =>
      row.goals.flatMap((goal) => {
        const value = goalValue(result, goal)
        return value === undefined ? [] : [isReached(value, goal)]
      })
    )
    const [{ name, unit }] = row.metrics
    const anchor = row.title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-")
    return [
      `[${row.title}](#${anchor})`,
      own.map(({ sides, disk }) => `${figureText(sides[0], name)} (${diskNames[disk]})`).join("; "),
      unit,
      own[0] === undefined
        ? ""
        : peersOf(own[0])
            .map((peer) => `${peer.name}${ratioText(peer, name)}`)
            .join(", "),
      `${checked.filter((one) => one).length} of ${checked.length}`
    ]
  })
  return table([["Row", "Mailkeep", "Unit", "Peers (ratio)", "Goals reached"], ...lines])
}

/** The machines of the results. Rows may have been measured on several. */
const machines = (results: ReadonlyArray<RowResult>): string =>
  [...new Set(results.map((result) => machineText(result.machine)))].map((text) => `- ${text}`).join("\n")

/** The generated part of the page. */
export const figuresPart = (rows: ReadonlyArray<Row>, results: ReadonlyArray<RowResult>): string => {
  const measured = rows.filter((row) => resultsOf(row, results).length > 0)
  return [
    "## Overview",
    "Measured on:",
    machines(results),
    overview(measured, results),
    "## Rows",
    ...measured.map((row) => section(row, resultsOf(row, results)))
  ].join("\n\n")
}

interface Marks {
  readonly begin: string
  readonly end: string
}

const figureMarks: Marks = {
  begin: "<!-- Figures: written by `pnpm bench --render` from performance.json. -->",
  end: "<!-- End of the figures. -->"
}
const soakMarks = (store: string): Marks => ({
  begin: `<!-- Soak: written by \`pnpm bench:soak --store ${store} --write\`. -->`,
  end: `<!-- End of the soak on ${store}. -->`
})

/** The page with the text between two marks. */
const withPart = (page: string, { begin, end }: Marks, text: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no marks for this part: ${begin}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}

/** The page with the figures between their marks. */
export const withFigures = (page: string, figures: string): string => withPart(page, figureMarks, figures)

/** The page with the result of the soak on a store between its marks. */
export const withSoak = (page: string, store: string, text: string): string => withPart(page, soakMarks(store), text)
