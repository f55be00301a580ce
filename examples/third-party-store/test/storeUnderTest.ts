/**
 * Gives the laws a new file for each store, and says how another process opens it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { layer } from "../src/NodeSqliteStore.ts"

/** @public Imported by other processes. */
export const open = layer

export const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "third-party-store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(
  Effect.map((folder) => {
    const argument = join(folder, "mail.db")
    return { layer: open(argument), child: { module: new URL(import.meta.url), argument } }
  })
)
