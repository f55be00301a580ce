/**
 * Checks whether this Node can run SQLite. On an older Node, better-sqlite3 crashes with a segmentation fault when it
 * opens a file.
 * This module imports nothing, so that a program can check before it loads anything else.
 */

/** Node has Node-API 10 since 22.14 and 23.6. */
const nodeApiMin = 10

/** Returns a sentence without a full stop if this Node is too old, otherwise `undefined`. */
export const oldNodeSentence = (versions: { readonly node?: string; readonly napi?: string }): string | undefined =>
  Number(versions.napi) >= nodeApiMin
    ? undefined
    : `Mailkeep needs Node 22.14 or newer (Node-API ${nodeApiMin}), and this is Node ${versions.node ?? "of an unknown version"}`
