/**
 * Keeps the data folder to its owner: the store holds mail, hashes of keys and the master secret. Source: decision 0034.
 */
import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { StoreNotOpened } from "@mailkeep/core"

const folderMode = 0o700
const fileMode = 0o600
const suffixes = ["", "-wal", "-shm", "-journal"]

/** `undefined` where there are no users, as on Windows. */
const user = (): number | undefined => process.getuid?.()

const isOwn = (owner: number): boolean => user() === undefined || user() === 0 || owner === user()

const notPrivate = (where: string) => new StoreNotOpened({ reason: "not_private", where })

/** SQLite makes its other files with the mode of the store's own. */
const keepFile = (path: string): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (stat.isSymbolicLink() || !isOwn(stat.uid)) throw notPrivate(path)
  if ((stat.mode & 0o777) !== fileMode) chmodSync(path, fileMode)
}

/**
 * Makes the folder when it does not exist, and takes it and the store's files from everybody but their owner. The folder itself may be a symbolic link:
 * what it leads to is kept. Throws `StoreNotOpened` when the folder or a file is another user's, unless the administrator (uid 0) asks, or when a file is a
 * link to elsewhere.
 */
export const keepPrivate = (folder: string, fileName: string): void => {
  mkdirSync(folder, { recursive: true, mode: folderMode })
  const stat = statSync(folder)
  if (!isOwn(stat.uid)) throw notPrivate(folder)
  if ((stat.mode & 0o777) !== folderMode) chmodSync(folder, folderMode)
  for (const suffix of suffixes) keepFile(join(folder, `${fileName}${suffix}`))
}
