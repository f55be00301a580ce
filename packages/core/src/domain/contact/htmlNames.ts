/**
 * The names of characters in HTML, such as `&commat;`, for the characters of an address: a part of the list of named
 * character references in the standard of HTML.
 */

/** The names of the characters that an address may have beside letters and digits. A hyphen has none. */
const namesOfMarks: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@": ["commat"],
  ".": ["period"],
  "+": ["plus"],
  _: ["lowbar", "UnderBar"],
  "!": ["excl"],
  '"': ["quot"],
  "#": ["num"],
  $: ["dollar"],
  "%": ["percnt"],
  "&": ["amp"],
  "'": ["apos"],
  "*": ["ast", "midast"],
  "/": ["sol"],
  "<": ["lt"],
  "=": ["equals"],
  ">": ["gt"],
  "?": ["quest"],
  "^": ["Hat"],
  "`": ["grave", "DiacriticalGrave"],
  "{": ["lbrace", "lcub"],
  "|": ["verbar", "vert", "VerticalLine"],
  "}": ["rbrace", "rcub"]
}

/** The names of letters that Unicode does not decompose. */
const namesOfLetters: Readonly<Record<string, string>> = {
  ß: "szlig",
  æ: "aelig",
  œ: "oelig",
  ø: "oslash",
  ð: "eth",
  þ: "thorn",
  đ: "dstrok",
  ł: "lstrok",
  ħ: "hstrok",
  ŧ: "tstrok",
  ı: "imath"
}

/** The end of the name of a letter with this combining mark, as in `&uuml;`. */
const endOfName: Readonly<Record<string, string>> = {
  "\u0300": "grave",
  "\u0301": "acute",
  "\u0302": "circ",
  "\u0303": "tilde",
  "\u0304": "macr",
  "\u0306": "breve",
  "\u0307": "dot",
  "\u0308": "uml",
  "\u030a": "ring",
  "\u030b": "dblac",
  "\u030c": "caron",
  "\u0327": "cedil",
  "\u0328": "ogon"
}

/** The escapes of a character by its names: `&commat;` for `@`, `&uuml;` for `ü`. Empty for a character without a name. Upper and lower case are one. */
export const htmlNamesOf = (character: string): ReadonlyArray<string> => {
  const lower = character.toLowerCase()
  const [letter = "", mark = "", ...more] = lower.normalize("NFD")
  const letterName = more.length === 0 && /^[a-z]$/.test(letter) ? endOfName[mark] : undefined
  const names = namesOfMarks[character] ?? [namesOfLetters[lower] ?? (letterName && `${letter}${letterName}`)]
  return names.flatMap((name) => (name === undefined ? [] : [`&${name};`]))
}
