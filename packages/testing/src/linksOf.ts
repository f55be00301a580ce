/**
 * Finds the URLs in a mail, in the order of their appearance. Takes time in proportion to the length of the mail.
 */
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

const codePointText = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "")

/** Replaces the character references that programs write in attributes. */
const decodeEntities = (value: string): string =>
  value.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g, (all: string, ...groups) => {
    const [decimal, hex, name] = groups as ReadonlyArray<string | undefined>
    if (decimal !== undefined) return codePointText(Number(decimal))
    if (hex !== undefined) return codePointText(Number.parseInt(hex, 16))
    return entities[name!] ?? all
  })

const attribute = /\s*([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?|\s*\//y

/** Reads the attributes of a tag from `start`, behind the name of its element. Returns its first `href`, and where the tag ends. */
const readTag = (html: string, start: number): { readonly href: string | undefined; readonly end: number } => {
  let href: string | undefined
  let end = start
  for (;;) {
    attribute.lastIndex = end
    const match = attribute.exec(html)
    if (match === null) return { href, end }
    end = attribute.lastIndex
    if (match[1]?.toLowerCase() === "href") href ??= decodeEntities(match[2] ?? match[3] ?? match[4] ?? "").trim()
  }
}

const withScheme = /^[a-z][a-z\d+.-]*:/i

/** The URLs of the links of an html: the attribute `href` of each `a` and `area`, if it has a scheme. */
const linksOfHtml = (html: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const next = /<!--[^]*?(?:-->|$)|<(?:a|area)(?=[\s/])/gi
  for (let match = next.exec(html); match !== null; match = next.exec(html)) {
    if (match[0].startsWith("<!--")) continue
    const { href, end } = readTag(html, next.lastIndex)
    next.lastIndex = end
    if (href !== undefined && withScheme.test(href)) found.push(href)
  }
  return found
}

const count = (text: string, character: string): number => text.split(character).length - 1

/** Without the punctuation of the sentence around the URL. */
const trimmed = (url: string): string => {
  let end = url.length
  let unopened = count(url, ")") - count(url, "(")
  for (; end > 0; end--) {
    const last = url[end - 1]!
    if (last === ")" && unopened-- > 0) continue
    if (!".,;:!?'*]".includes(last)) break
  }
  return url.slice(0, end)
}

/** The `http` and `https` URLs of a text. */
const linksOfText = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bhttps?:\/\/[^\s<>"]+/gi)].map(([url]) => trimmed(url))

/** The URLs of the html and then those of the text, each once. */
export const linksOf = (html: string | null, text: string | null): ReadonlyArray<string> => [
  ...new Set([...linksOfHtml(html ?? ""), ...linksOfText(text ?? "")])
]
