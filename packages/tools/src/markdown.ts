/**
 * Markdown for the generated pages: the notice at the top, and tables.
 */

export const generatedNotice = (source: string): string =>
  `<!-- Generated from ${source} by \`pnpm generate\`; CI fails when it is not current. -->\n`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")
