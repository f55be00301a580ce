/**
 * Looks for a text in every table of a store file.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** The tables of the store file in a data folder with a value that contains the text, byte by byte, in any case. */
export const tablesWith = (folder: string, text: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(join(folder, "mailkeep.db"), { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all()
  const found = tables.flatMap(({ name }) => {
    const all = database.prepare(`SELECT * FROM "${String(name)}"`)
    all.setReadBigInts(true)
    const rows = all.all()
    const values = rows.flatMap((row) => Object.values(row))
    const texts = values.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)
    )
    return texts.some((one) => one.toLowerCase().includes(text)) ? [String(name)] : []
  })
  database.close()
  return found.toSorted()
}
