/**
 * Gives the laws a new file for each store, and says how another process opens it. Commits run on the default thread, and scans on theirs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { SqliteOptions } from "../src/SqliteMailStore.ts"
import { makeLargeFile } from "./largeFile.ts"
import { beginTransaction } from "./productTransaction.ts"
import { layerStarted } from "./startedStore.ts"

/** @public Imported by other processes. */
export const open = (filename: string, commitThread?: SqliteOptions["commitThread"]) =>
  layerStarted({ filename, ...(commitThread === undefined ? {} : { commitThread }) })

/** A store in a folder of its own. `module` exports `open` for another process. `prepare` makes the file, if the store does not. */
export const placeWith = (module: string, openFile: typeof open, prepare?: (filename: string) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mailkeep-law-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ).pipe(
    Effect.map((folder) => {
      const filename = join(folder, "mail.db")
      prepare?.(filename)
      return {
        layer: openFile(filename),
        child: { module: new URL(module), argument: filename },
        beginTransaction: beginTransaction(filename)
      }
    })
  )

export const place = placeWith(import.meta.url, open, makeLargeFile)
