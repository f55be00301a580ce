/**
 * Restricts the data folder to its owner, because the store holds mail, hashes of API keys and the master secret. Source: decision 0034.
 */
import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { StoreNotOpened } from "@mailkeep/core"

const folderMode = 0o700
const fileMode = 0o600
const suffixes = ["", "-wal", "-shm", "-journal"]

/** `undefined` on systems without user ids, such as Windows. */
const user = (): number | undefined => process.getuid?.()

const isOwn = (owner: number): boolean => user() === undefined || user() === 0 || owner === user()

const notPrivate = (where: string) => new StoreNotOpened({ reason: "not_private", where })

/** SQLite creates its other files with the mode of the store file. */
const keepFile = (path: string): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (stat.isSymbolicLink() || !isOwn(stat.uid)) throw notPrivate(path)
  if ((stat.mode & 0o777) !== fileMode) chmodSync(path, fileMode)
}

/**
 * Creates the folder if it does not exist, and removes the access of other users to it and to the store files. The folder itself may be a
 * symbolic link; the link is kept. Throws `StoreNotOpened` when the folder or a file belongs to another user, unless the administrator (uid
 * 0) runs the command. Throws it also when a file is a link to another place.
 */
export const keepPrivate = (folder: string, fileName: string): void => {
  mkdirSync(folder, { recursive: true, mode: folderMode })
  const stat = statSync(folder)
  if (!isOwn(stat.uid)) throw notPrivate(folder)
  if ((stat.mode & 0o777) !== folderMode) chmodSync(folder, folderMode)
  for (const suffix of suffixes) keepFile(join(folder, `${fileName}${suffix}`))
}
