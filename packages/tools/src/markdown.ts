/**
 * Markdown for the generated pages: the notice at the top, and tables.
 */

export const generatedNotice = (source: string): string =>
  `<!-- Generated from ${source} by \`pnpm generate\`; CI fails when it is not current. -->\n`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

/** A table with columns of equal width, for a page that the formatter checks. */
export const alignedTable = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const cells = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)))
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(" | ")} |`
  return [line(cells[0]!), line(widths.map((width) => "-".repeat(width))), ...cells.slice(1).map(line)].join("\n")
}
