/**
 * The process of one round: runs one side of one row, and prints its figures as the last line of its output.
 */
import { rowNamed } from "./rows.ts"
import type { Size } from "./Row.ts"

const [rowName, sideName, size, folder, rowFolder] = process.argv.slice(2) as [string, string, Size, string, string]
const row = rowNamed(rowName)!
const side = [row.ours, ...row.peers].find(({ name }) => name === sideName)!
const figures = await side.run({ size, folder, rowFolder })
process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit())
