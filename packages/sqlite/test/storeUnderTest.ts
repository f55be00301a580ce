/**
 * Gives the laws a new file for each store, and says how another process opens it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { SqliteMailStore } from "../src/index.ts"

/** @public Imported by other processes. */
export const open = (filename: string) => SqliteMailStore.layer({ filename })

export const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mailkeep-law-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(
  Effect.map((folder) => {
    const filename = join(folder, "mail.db")
    return { layer: open(filename), child: { module: new URL(import.meta.url), argument: filename } }
  })
)
