/**
 * The pages of the site, from the files of the repository. The sections, their order and the titles come from the folders, the pages
 * themselves and the links of `docs/README.md`, so that no second list has to be kept.
 */
import { globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The page with which the site begins. Its links give the order of the sections, and of the pages in a section. */
export const homePage = "docs/README.md"

export interface Page {
  /** The path of the file from the root of the repository. */
  readonly source: string
  /** The path of the page on the site, with `.md`. */
  readonly path: string
  readonly title: string
  /** The first folder of `path`, or the empty text. */
  readonly section: string
}

/** Where each kind of file is on the site. The other Markdown files of the repository are not pages. */
const places: ReadonlyArray<readonly [pattern: RegExp, path: (name: string) => string]> = [
  [/^docs\/(.+)\.md$/, (name) => `${name.replace(/(^|\/)README$/, "$1index")}.md`],
  [/^packages\/([^/]+)\/README\.md$/, (name) => `packages/${name}.md`],
  [/^examples\/([^/]+)\/README\.md$/, (name) => `examples/${name}.md`],
  [/^etc\/([^/]+)\.api\.md$/, (name) => `API-reports/${name}.md`],
  [/^(CONTRIBUTING|SECURITY|CHANGELOG)\.md$/, (name) => `project/${name.toLowerCase()}.md`]
]

/** The path of a file's page on the site, or `undefined` for a file that is not a page. */
export const pathOf = (source: string): string | undefined => {
  for (const [pattern, path] of places) {
    const name = pattern.exec(source)?.[1]
    if (name !== undefined) return path(name)
  }
  return undefined
}

/** The first heading of a page, without marks. Throws when the page has none. */
export const titleOf = (source: string, text: string): string => {
  const heading = /^# (.+)$/m.exec(text.replaceAll(/^```[\s\S]*?^```/gm, ""))?.[1]
  if (heading === undefined)
    throw new Error(`${source}: has no heading of the first level; the site needs one as title.`)
  return heading.replaceAll(/[`*]/g, "").trim()
}

/** The paths to which a page links, from the root of the repository, in order. */
const linkedFrom = (source: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    .map(([, href = ""]) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => posix.join(posix.dirname(source), href))

/** The pages among some files: in the order in which the home page links to them, the others behind by their paths. */
export const pagesAmong = (sources: ReadonlyArray<string>, read: (source: string) => string): ReadonlyArray<Page> => {
  const links = linkedFrom(homePage, read(homePage))
  const rank = (source: string): number => {
    const at = links.indexOf(source)
    const folderAt = links.indexOf(posix.dirname(source))
    return source === homePage ? -1 : at !== -1 ? at : folderAt !== -1 ? folderAt : links.length
  }
  return sources
    .flatMap((source): ReadonlyArray<Page> => {
      const path = pathOf(source)
      if (path === undefined) return []
      return [{ source, path, title: titleOf(source, read(source)), section: path.split("/").slice(0, -1)[0] ?? "" }]
    })
    .toSorted((a, b) => rank(a.source) - rank(b.source) || (a.source < b.source ? -1 : 1))
}

/** Every Markdown file of the repository, except those of installed packages. */
export const markdownFiles = (): ReadonlyArray<string> =>
  globSync("**/*.md", { cwd: root, exclude: (name) => ["node_modules", "dist", ".git", ".vitepress"].includes(name) })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted()

export const readSource = (source: string): string => readFileSync(join(root, source), "utf8")
