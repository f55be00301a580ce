/**
 * The site makes no request to another host: its pages forbid it to the browser, and `foreignRequests` finds it in the built files.
 */

/** Scripts and styles inside of a page are those of VitePress. They load the theme before the first picture. */
export const contentSecurityPolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'"

const foreign = /^(?:https?:)?\/\//i

/** The elements of which a browser loads the address by itself. A link to another host is only followed when a reader chooses it. */
const loadedElements = /<(?!a[\s>])([a-z][a-z0-9-]*)\s([^>]*)>/gi
const addressAttribute = /(?:^|\s)(?:src|href|srcset|action|data|poster)\s*=\s*"([^"]*)"/gi

/** The addresses of other hosts that a browser would load for a built HTML or CSS file. */
export const foreignRequests = (file: string, text: string): ReadonlyArray<string> => {
  const inMarkup = file.endsWith(".html")
    ? [...text.matchAll(loadedElements)].flatMap(([, , attributes = ""]) =>
        [...attributes.matchAll(addressAttribute)].map(([, address = ""]) => address)
      )
    : []
  const styles = file.endsWith(".css")
    ? [text]
    : [...text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>|\sstyle="([^"]*)"/g)].map(([, a, b]) => a ?? b ?? "")
  const inStyles = styles.flatMap((style) =>
    [...style.matchAll(/url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g)].map(([, a, b]) => a ?? b ?? "")
  )
  return [...inMarkup, ...inStyles].filter((address) => foreign.test(address))
}

/** Says whether a page forbids the browser to load anything from another host. */
export const hasPolicy = (html: string): boolean =>
  html.includes(`<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">`)
