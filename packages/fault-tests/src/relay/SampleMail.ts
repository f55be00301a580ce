/**
 * Messages in many scripts and with hostile characters, made from a seed. Each is valid for the core, and each must arrive unchanged.
 */
import type { SendInput } from "@mailkeep/core"
import { seeded } from "../seeded.ts"

/** A file of a sample. */
export interface SampleFile {
  readonly filename: string
  readonly contentType: string
  readonly content: Uint8Array
  /** With an id, the html shows the file. */
  readonly contentId: string | null
}

/** The content of one message. */
export interface SampleMail {
  readonly fromName: string | null
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  readonly replyTo: string | null
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<SampleFile>
}

export const senderDomain = "shop.test"

/** The sample as a program sends it, without the header fields, which are an option. */
export const inputOf = ({
  fromName,
  from,
  to,
  cc,
  bcc,
  replyTo,
  subject,
  text,
  html,
  files
}: SampleMail): SendInput => ({
  from,
  to,
  cc,
  bcc,
  subject,
  ...(fromName === null ? {} : { fromName }),
  ...(replyTo === null ? {} : { replyTo }),
  ...(text === null ? {} : { text }),
  ...(html === null ? {} : { html }),
  ...(files.length === 0 ? {} : { attachments: files.map(attachmentOf) })
})

const attachmentOf = ({ filename, contentType, content, contentId }: SampleFile) => ({
  filename,
  contentType,
  content,
  ...(contentId === null ? {} : { contentId })
})

const scripts = [
  "Plain words, nothing else",
  "Grüße aus Köln, ĳsberg, Straße, Çağrı",
  "Žluťoučký kůň úpěl ďábelské ódy",
  "Привет, мир! Ещё ёлка",
  "Καλημέρα κόσμε, ὕδωρ",
  "مرحبا بالعالم ١٢٣",
  "שלום עולם, שׁ",
  "你好，世界：“引号”",
  "こんにちは世界、ﾊﾝｶｸ",
  "안녕하세요 세계",
  "नमस्ते दुनिया क्षत्रिय",
  "สวัสดีชาวโลก น้ำ",
  "გამარჯობა მსოფლიო",
  "Բարեւ աշխարհ",
  "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
  "𝔐𝔞𝔦𝔩 𠜎𠜱 𐍈",
  "e\u0301 a\u0308\u0323 n\u0303 o\u0302\u0309",
  "mixed Привет שלום 你好 مرحبا"
]

const hostileWords = [
  `"quoted" <evil@evil.test>`,
  `=?utf-8?B?SGVsbG8=?=`,
  `=?utf-8?Q?a_b=0D=0ABcc:_evil@evil.test?=`,
  `=?x?=`,
  `back\\slash \\" end\\`,
  `(comment) [list] {brace}`,
  `semi;colon, comma: colon`,
  `%0d%0aBcc: evil@evil.test`,
  `{{name}} \${name} <%= name %>`,
  `a@b.test, c@d.test`,
  `--boundary--`,
  `'single' \`tick\``,
  `tab is not here  two  spaces   three`,
  `嘊嘍Bcc: evil@evil.test`,
  `\u00a0no-break\u00a0space`,
  `zero\u200bwidth\u200djoin`,
  `\u202eright to left\u202c`,
  `NUL is %00 and \\0`
]

const hostileLines = [
  ".",
  "..",
  "...three",
  ".hidden",
  "From the start of a line",
  ">From quoted",
  "",
  "ends with spaces   ",
  "ends with a tab\t",
  "\tbegins with a tab",
  "=3D =20 =\u00e9",
  "=",
  "-- ",
  "--boundary",
  "QUIT",
  "DATA",
  "MAIL FROM:<evil@evil.test>",
  "Bcc: evil@evil.test",
  "x".repeat(997),
  "y".repeat(998),
  "z".repeat(999),
  "long ".repeat(900),
  "漢".repeat(700),
  "form\u000cfeed, vertical\u000btab, bell\u0007, escape\u001b, delete\u007f",
  "next\u0085line, separator\u2028line\u2029",
  "a \ufeffbyte order mark"
]

/** Every way to end a line, and the ends that a lax server takes as the end of the message. */
const lineEnds = ["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n.\n", "\r\n.\r\n", "\r.\r", "\n.\r\n", "\r\n.\n"]

const localParts = [
  "ada",
  "ada.lovelace",
  "o'hara+tag",
  "!#$%&'*+-/=?^_`{|}~",
  "x".repeat(40),
  `"two words"`,
  `"comma,semi;colon:"`,
  `"(brackets)[]"`,
  `"quote\\"back\\\\slash"`,
  `"at@sign"`
]
const utf8LocalParts = ["jürgen", "用户", "дмитрий", "δοκιμή"]

const domains = ["good.test", "sub.good.test", "münchen.test", "例え.test", "xn--80ak6aa92e.test"]

const fileNames = [
  "report.pdf",
  "Grüße & Küsse.txt",
  "отчёт за ноябрь.csv",
  "報告書（最終）.docx",
  `quote"and'apostrophe.txt`,
  "semi;colon, comma=equals.txt",
  "percent%20%0d%0a.txt",
  "=?utf-8?B?SGVsbG8=?=.txt",
  "👩‍👩‍👧.png",
  "many words in a name, so many that the header field needs several lines of text to hold them all.txt",
  "長".repeat(60) + ".txt",
  "no-extension"
]

const contentTypes = ["application/pdf", "text/plain", "image/png", "application/octet-stream", "text/csv"]

/** Makes the sample with this number. The same seed and number give the same sample. */
export const sampleMail = (seed: number, number: number, { smtpUtf8 }: { readonly smtpUtf8: boolean }): SampleMail => {
  const random = seeded(seed + number * 7919)
  const below = (n: number): number => Math.floor(random() * n)
  const oneOf = <A>(list: ReadonlyArray<A>): A => list[below(list.length)]!
  const chance = (percent: number): boolean => random() * 100 < percent
  const several = <A>(max: number, make: () => A): ReadonlyArray<A> => Array.from({ length: 1 + below(max) }, make)

  const line = (): string => several(3, () => oneOf(chance(50) ? scripts : hostileWords)).join(" ")
  const lines = (): string =>
    several(12, () => `${oneOf(chance(50) ? hostileLines : [line()])}${oneOf(lineEnds)}`).join("")
  const cut = (text: string, max: number): string => [...text].slice(0, max).join("").trim()

  /** The number makes each address unique. */
  const address = (kind: string, index: number): string => {
    const local = oneOf(smtpUtf8 && chance(20) ? utf8LocalParts : localParts)
    const unique = `${kind}${number}x${index}`
    const named = local.endsWith(`"`) ? `${local.slice(0, -1)}${unique}"` : `${local}${unique}`
    return `${named}@${oneOf(domains)}`
  }
  const file = (index: number): SampleFile => {
    const inline = chance(30)
    const length = chance(10) ? 0 : below(chance(5) ? 60_000 : 2000)
    return {
      filename: oneOf(fileNames),
      contentType: inline ? "image/png" : oneOf(contentTypes),
      content: Buffer.from(Array.from({ length }, () => below(256))),
      contentId: inline ? `part${index}.${number}@${senderDomain}` : null
    }
  }

  const manyRecipients = chance(10)
  const withText = chance(80)
  const files = chance(30) ? several(3, () => 0).map((_, index) => file(index)) : []
  return {
    fromName: chance(80) ? cut(line(), 100) : null,
    from: `${oneOf(["hello", "o'hara", `"two words"`])}@${senderDomain}`,
    to: manyRecipients ? several(3, () => 0).map((_, index) => address("to", index)) : [address("to", 0)],
    cc: !manyRecipients && chance(10) ? [address("cc", 0)] : [],
    bcc: !manyRecipients && chance(10) ? [address("bcc", 0)] : [],
    replyTo: chance(30) ? address("reply", 0) : null,
    subject: chance(5) ? cut("漢字かな ".repeat(110), 500) : chance(5) ? "s".repeat(500) : cut(line(), 500),
    text: withText ? lines() : null,
    html: !withText || chance(50) ? `<p>${lines()}</p>` : null,
    headers: chance(20)
      ? {
          "List-Unsubscribe": `<https://shop.test/u/${number}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          "X-Note": cut(line(), 200)
        }
      : {},
    files
  }
}
