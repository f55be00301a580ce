/**
 * Whether this Node can run SQLite. better-sqlite3 ends an older process with a segmentation fault when it opens a file.
 * Imports nothing, so that a program can ask before it loads anything else.
 */

/** Node has Node-API 10 from 22.14 and 23.6 on. */
const nodeApiMin = 10

/** A sentence without a full stop when this Node is too old; `undefined` when it will do. */
export const oldNodeSentence = (versions: { readonly node?: string; readonly napi?: string }): string | undefined =>
  Number(versions.napi) >= nodeApiMin
    ? undefined
    : `Mailkeep needs Node 22.14 or newer (Node-API ${nodeApiMin}), and this is Node ${versions.node ?? "of an unknown version"}`
