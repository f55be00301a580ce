/**
 * The links of a mail, in their order, without repetitions: from the attributes of its HTML and from its text.
 */

/** At most this number of links are listed. */
export const linksMax = 200
const linkCharactersMax = 2048

const attributeForm = /\b(?:href|src|action|background)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi
const textForm = /\bhttps?:\/\/[^\s<>"']+/gi
/** Punctuation at the end of a link in a text belongs to the sentence. */
const punctuationAtEnd = /(?<![.,;:!?)\]])[.,;:!?)\]]+$/

const namedEntities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** The text of an attribute. Only the entities that occur in URLs are decoded. */
const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedEntities[String(name).toLowerCase()] ?? whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })

/** Whether a browser may follow the link from a page of the mailbox. */
export const isWebLink = (link: string): boolean =>
  URL.canParse(link) && ["http:", "https:", "mailto:"].includes(new URL(link).protocol)

/** The links of a mail: of its HTML, then of its text. */
export const linksOf = ({
  html,
  text
}: {
  readonly html: string | null
  readonly text: string | null
}): ReadonlyArray<string> => {
  const links = new Set<string>()
  const add = (link: string): boolean => {
    if (link !== "" && link.length <= linkCharactersMax) links.add(link)
    return links.size >= linksMax
  }
  for (const [, double, single, bare] of (html ?? "").matchAll(attributeForm))
    if (add(decodeEntities(double ?? single ?? bare ?? "").trim())) break
  for (const [link] of (text ?? "").matchAll(textForm)) {
    if (links.size >= linksMax) break
    add(link.replace(punctuationAtEnd, ""))
  }
  return [...links]
}
