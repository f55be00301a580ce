/**
 * Restricts the data folder to its owner, because the store holds mail, hashes of API keys and the master secret. Source: decision 0034.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { StoreNotOpened } from "@mailkeep/core"
import { plainFileError } from "./files.ts"

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

/** Creates the folders above too. The option `recursive` of Node does not end in a file system such as `/proc`. */
const createFolder = (folder: string): void => {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  // With `node --permission`, even the root folder can seem not to exist.
  if (parent !== folder) createFolder(parent)
  try {
    mkdirSync(folder, { mode: folderMode })
  } catch (cause) {
    // Another process may have created it.
    if (!existsSync(folder)) throw cause
  }
}

const restrict = (folder: string, fileName: string): void => {
  createFolder(folder)
  const stat = statSync(folder)
  if (!stat.isDirectory())
    throw new StoreNotOpened({
      reason: "not_a_database",
      where: folder,
      detail: "The path of the data folder is that of a file"
    })
  if (!isOwn(stat.uid)) throw notPrivate(folder)
  if ((stat.mode & 0o777) !== folderMode) chmodSync(folder, folderMode)
  for (const suffix of suffixes) keepFile(join(folder, `${fileName}${suffix}`))
}

const reasonOfCode: Readonly<Record<string, StoreNotOpened["reason"]>> = {
  EACCES: "read_only",
  EPERM: "read_only",
  EROFS: "read_only",
  ENOSPC: "full"
}

const notUsed = (folder: string, cause: NodeJS.ErrnoException): StoreNotOpened =>
  new StoreNotOpened({
    reason: reasonOfCode[cause.code ?? ""] ?? "unreachable",
    where: folder,
    detail: `The data folder cannot be used (${plainFileError(cause)})`,
    cause
  })

/**
 * Creates the folder if it does not exist, and removes the access of other users to it and to the store files. The folder itself may be a
 * symbolic link; the link is kept. Throws `StoreNotOpened` when the folder or a file belongs to another user, unless the administrator (uid
 * 0) runs the command. Throws it also when a file is a link to another place, when there can be no such folder, and for a URL.
 */
export const keepPrivate = (folder: string, fileName: string): void => {
  if (folder === "")
    throw new StoreNotOpened({
      reason: "unreachable",
      where: "--data",
      detail: "Give the path of the data folder. The environment variable with the path may not be set"
    })
  // The URL may contain a password, so it is not shown, and no folder gets its name.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(folder))
    throw new StoreNotOpened({
      reason: "not_a_database",
      where: "--data",
      detail: "Give the path of a folder and no URL. Give the URL of a database with --store"
    })
  try {
    restrict(folder, fileName)
  } catch (cause) {
    throw cause instanceof StoreNotOpened ? cause : notUsed(folder, cause as NodeJS.ErrnoException)
  }
}
