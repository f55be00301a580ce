/**
 * Checks whether this Node can run SQLite. On an older Node, better-sqlite3 crashes with a segmentation fault when it
 * opens a file.
 * This module imports nothing, so that a program can check before it loads anything else.
 *
 * @example
 * ```ts
 * import { oldNodeSentence } from "@mailkeep/sqlite/node-version"
 *
 * console.log(oldNodeSentence(process.versions)) // undefined
 * console.log(oldNodeSentence({ node: "20.0.0", napi: "9" }) !== undefined) // true
 * ```
 */

/** Node has Node-API 10 since 22.14 and 23.6. */
const nodeApiMin = 10

/** The oldest Node that the published packages support. `engines` in their manifests says the same. */
const oldestNode = "22.19"

/**
 * Returns a sentence without a full stop if SQLite would crash this Node, otherwise `undefined`. Node 22.14 to 22.18 can run SQLite
 * but is not supported, because the HTTP server's platform needs a newer Node.
 */
export const oldNodeSentence = (versions: { readonly node?: string; readonly napi?: string }): string | undefined =>
  Number(versions.napi) >= nodeApiMin
    ? undefined
    : `Mailkeep needs Node ${oldestNode} or newer, and this is Node ${versions.node ?? "of an unknown version"}`
