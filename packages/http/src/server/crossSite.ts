/**
 * Detects a request that a browser sends for a page of another site. The browser adds the cookies of the session by itself, so such a page
 * could otherwise act in the name of the user. Source: decision 0052.
 */

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** Sites that share the session: the page's own origin, or no page at all, such as a bookmark. */
const ownSites: ReadonlySet<string> = new Set(["same-origin", "none"])

/**
 * Whether a page of another origin sent the request. `Sec-Fetch-Site` decides; an older browser has only `Origin`. A client that is not a
 * browser has neither. Reading is allowed, because the browser does not show the response to the page.
 */
export const isCrossSite = ({ method, headers, url }: Request, trustedOrigins: ReadonlySet<string>): boolean => {
  if (safeMethods.has(method)) return false
  const origin = headers.get("origin")
  if (origin !== null && trustedOrigins.has(origin)) return false
  const site = headers.get("sec-fetch-site")
  if (site !== null) return !ownSites.has(site)
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === new URL(url).host)
}
