/**
 * The location of a store on the command line: `sqlite:mail.db` or `postgres://user:password@host/database`. No message contains a password.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { Option, Redacted } from "effect"

/** The name of the store in a data folder. */
export const storeFileName = "mailkeep.db"

/** Where a store is. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly filename: string }
  /** A database of PostgreSQL. The URL may contain a password. */
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string> }

const isPostgres = (text: string): boolean => /^postgres(ql)?:\/\//i.test(text)

const parsedUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** Reads `sqlite:PATH` or the URL of a database. A folder means the store in that data folder. */
export const parseStoreLocation = (text: string): Option.Option<StoreLocation> => {
  if (isPostgres(text))
    return parsedUrl(text) === undefined ? Option.none() : Option.some({ kind: "postgres", url: Redacted.make(text) })
  const path = /^sqlite:(.+)$/s.exec(text)?.[1]
  if (path === undefined) return Option.none()
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return Option.some({ kind: "sqlite", filename: isFolder ? join(path, storeFileName) : path })
}

/** The complaint about a text that is no location. Of a URL, it shows only the scheme: the rest may contain a password. */
export const locationComplaint = (text: string): string => {
  const shown = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0]
  return `Expected sqlite:PATH or postgres://…, not "${shown === undefined ? text : `${shown}…`}"`
}

/** The location as text, without user, password and parameters. */
export const shownLocation = (location: StoreLocation): string => {
  if (location.kind === "sqlite") return `sqlite:${location.filename}`
  const { host, pathname } = new URL(Redacted.value(location.url))
  return `postgres://${host}${pathname}`
}
