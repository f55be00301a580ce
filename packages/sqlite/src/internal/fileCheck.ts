/**
 * Notices that the files of a store were moved, deleted or replaced. SQLite continues to write to a deleted file without an error. Two processes with
 * different files of shared memory do not see each other's locks, and overwrite each other's commits.
 */
import type { Stats } from "node:fs"
import { statSync } from "node:fs"
import { FileMoved } from "./resultCodes.ts"

/** Identifies the database, its write-ahead log and the shared memory of the log. */
export type FileIdentity = ReadonlyArray<string | undefined>

/** `undefined` if there is no such file, or if it cannot be reached, as on a disk that was removed. */
const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

const statsOf = (where: string): ReadonlyArray<Stats | undefined> => [where, `${where}-wal`, `${where}-shm`].map(statOf)

const identify = (stat: Stats | undefined): string | undefined =>
  stat === undefined ? undefined : `${stat.dev}/${stat.ino}`

/** Identifies the files that have these names now. */
export const fileIdentityOf = (where: string): FileIdentity => statsOf(where).map(identify)

/** Whether both are the same files. */
export const isSameIdentity = (one: FileIdentity, other: FileIdentity): boolean =>
  one.every((file, n) => file === other[n])

const movedSentence =
  "A file of the store was moved, deleted or replaced, or its folder cannot be read. Put the files back, or stop every process that uses the store and start again."

/** Returns the size of the write-ahead log in bytes. Throws `FileMoved` if a file is no longer the one that was opened. */
export const checkFiles = (where: string, opened: FileIdentity): number => {
  const now = statsOf(where)
  if (!isSameIdentity(now.map(identify), opened)) throw new FileMoved(movedSentence)
  return now[1]?.size ?? 0
}
