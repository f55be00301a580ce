/**
 * The links of a page: to another page of the site, or to a file of the repository that is not a page.
 */
import { posix } from "node:path"
import type { Page } from "./pages.ts"
import { addressOf } from "./sidebar.ts"

export interface LinkTargets {
  readonly pages: ReadonlyArray<Page>
  /** Says whether a path of the repository exists. */
  readonly exists: (path: string) => boolean
  /** The address of the repository, for files that are not pages. */
  readonly repository: string
}

/** The page at a path of the repository. A folder has the page of its README, or else its first page. */
const pageAt = (pages: ReadonlyArray<Page>, path: string): Page | undefined =>
  pages.find(({ source }) => source === path) ??
  pages.find(({ source }) => source === posix.join(path, "README.md")) ??
  pages.find(({ source }) => source.startsWith(`${path}/`))

/**
 * The address for a link that the file `source` has. Returns an address with a scheme and a link within the page unchanged. Throws when
 * the link names a file that does not exist.
 */
export const resolveLink = (source: string, href: string, { pages, exists, repository }: LinkTargets): string => {
  if (/^(?:[a-z][a-z+.-]*:|#)/i.test(href)) return href
  const [, encoded = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? []
  const path = posix.join(posix.dirname(source), decodeURIComponent(encoded)).replace(/\/$/, "")
  if (path.startsWith("..") || encoded.startsWith("/"))
    throw new Error(`${source}: the link ${href} does not lead to a file of the repository.`)
  const page = path === "README.md" ? pages[0] : pageAt(pages, path)
  if (page !== undefined) return addressOf(page) + hash
  if (!exists(path)) throw new Error(`${source}: the link ${href} leads to ${path}, which does not exist.`)
  return `${repository}/blob/HEAD/${path}${hash}`
}

/**
 * The anchor of a heading, by the rule that repositories on the web use: lower case, without marks, `-` for each space. The same link thus
 * works in the repository and on the site.
 */
export const anchorOf = (heading: string): string =>
  encodeURIComponent(
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-")
  )
