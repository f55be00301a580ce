/**
 * The location of a store on the command line: `sqlite:mail.db` or `postgres://user:password@host/database`. No message contains a password.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { severalHostsProblem, unencodedPasswordProblem } from "@mailkeep/core/options"
import { Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import type { DatabaseOptions } from "./databaseParameters.ts"
import { hasDatabaseScheme, parameterOf, partsOf, takeOptions } from "./databaseParameters.ts"
import { printable } from "./output.ts"

/** The name of the store in a data folder. */
export const storeFileName = "mailkeep.db"

/** Where a store is. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly filename: string }
  /** A database of PostgreSQL. The URL may contain a password, and has no parameters of Mailkeep any more. */
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string>; readonly options: DatabaseOptions }

/** Of a URL that is no location, and of a text with a login, shows only the beginning: the rest may contain a password. */
const complaint = (text: string): string => {
  const shown = /:\/\/|@/.test(text) ? `${/^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(text)?.[0] ?? ""}…` : text
  return `Expected sqlite:PATH or postgres://…, not "${shown}"`
}

/** Whether the text begins as a URL with a login does. Such a text is the URL of a database and no path. */
const hasLogin = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i.test(text)

const databaseOf = (text: string): Result.Result<StoreLocation, string> => {
  const problem = unencodedPasswordProblem(text) ?? severalHostsProblem(text)
  if (problem !== undefined) return Result.fail(`The URL ${problem}`)
  const found = partsOf(text)
  if (found === undefined) return Result.fail(complaint(text))
  return Result.map(takeOptions(found), ({ url, options }) => ({
    kind: "postgres",
    // `URL` changes the text, so a URL without our parameters stays as it was given.
    url: Redacted.make(Object.keys(options).length === 0 ? text : url),
    options
  }))
}

/**
 * Reads `sqlite:PATH` or the URL of a database, which may have options of the store as parameters. A folder means the store in that data folder. Fails with a
 * complaint.
 */
export const parseStoreLocation = (text: string): Result.Result<StoreLocation, string> => {
  if (hasDatabaseScheme(text)) return databaseOf(text)
  const path = /^sqlite:(.+)$/s.exec(text)?.[1]
  if (path === undefined || hasLogin(path)) return Result.fail(complaint(text))
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return Result.succeed({ kind: "sqlite", filename: isFolder ? join(path, storeFileName) : path })
}

/** The location as text, without user, password and the parameters that do not say which store it is. */
export const shownLocation = (location: StoreLocation): string => {
  if (location.kind === "sqlite") return `sqlite:${location.filename}`
  const { parts, hasHost } = partsOf(Redacted.value(location.url))!
  const { schema } = location.options
  const socket = hasHost ? null : parts.searchParams.get("host")
  const shown = [
    ...(socket === null ? [] : [`host=${encodeURI(socket)}`]),
    ...(schema === undefined ? [] : [`${parameterOf("schema")}=${encodeURIComponent(schema)}`])
  ]
  return `postgres://${hasHost ? parts.host : ""}${parts.pathname}${shown.length === 0 ? "" : `?${shown.join("&")}`}`
}

/** The location that the text of a flag names. The text is redacted before it is checked, because the complaint about a flag shows the value that was checked. */
export const asLocation = (flag: Flag.Flag<string>): Flag.Flag<StoreLocation> =>
  flag.pipe(
    Flag.map(Redacted.make),
    Flag.filterMap(
      (text) => Result.getSuccess(parseStoreLocation(Redacted.value(text))),
      (text) => printable(Result.merge(Result.map(parseStoreLocation(Redacted.value(text)), shownLocation)))
    )
  )
