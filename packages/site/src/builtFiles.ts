/**
 * What can be wrong with the files of the built site.
 */
import { posix } from "node:path"
import { foreignRequests, hasPolicy } from "./ownHost.ts"

/** The content of each file by its path in the built folder. */
export type BuiltFiles = Readonly<Record<string, string>>

const decoded = (text: string): string => decodeURIComponent(text.replaceAll("&amp;", "&"))

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => decoded(id)))

const linksOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<a\s[^>]*?href="([^"]+)"/g)].map(([, href = ""]) => decoded(href))

/** The file that a server sends for a path: `/guides/` is `guides/index.html`. */
const fileFor = (path: string): string => (path.endsWith("/") || path === "" ? `${path}index.html` : path)

const linkComplaints = (pages: BuiltFiles): ReadonlyArray<string> => {
  const ids = new Map(Object.entries(pages).map(([file, html]) => [file, idsOf(html)]))
  return Object.entries(pages).flatMap(([file, html]) =>
    linksOf(html).flatMap((href) => {
      if (/^[a-z][a-z+.-]*:/i.test(href)) return []
      const [path = "", anchor] = href.split("#")
      const target =
        path === "" ? file : fileFor(path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(file), path))
      const known = ids.get(target)
      if (known === undefined) return [`${file}: links to ${href}, which is not on the site`]
      return anchor === undefined || anchor === "" || known.has(anchor)
        ? []
        : [`${file}: links to ${href}, but ${target} has no such anchor`]
    })
  )
}

/** Complaints about the built files, for a site whose base is `/`. */
export const builtComplaints = (files: BuiltFiles): ReadonlyArray<string> => {
  const pages = Object.fromEntries(Object.entries(files).filter(([file]) => file.endsWith(".html")))
  return [
    ...(Object.keys(pages).length === 0 ? ["there is no page"] : []),
    ...Object.entries(files).flatMap(([file, text]) =>
      foreignRequests(file, text).map((address) => `${file}: loads ${address} from another host`)
    ),
    ...Object.entries(pages).flatMap(([file, html]) =>
      hasPolicy(html) ? [] : [`${file}: does not forbid requests to other hosts`]
    ),
    ...linkComplaints(pages)
  ]
}
