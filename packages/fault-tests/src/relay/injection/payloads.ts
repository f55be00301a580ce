/**
 * Texts that try to leave the field in which they are: to add a header field, a recipient, an SMTP command, a part or a whole message.
 */

/** What a successful injection shows: an address at this domain, or a header field with this name. */
export const evilDomain = "evil.test"
export const evilField = "X-Injected"

const evil = `evil@${evilDomain}`

/** Everything that some program takes as the end of a line. */
const lineBreaks: Readonly<Record<string, string>> = {
  CRLF: "\r\n",
  LF: "\n",
  CR: "\r",
  LFCR: "\n\r",
  "NUL CRLF": "\0\r\n",
  "line separator": "\u2028",
  "paragraph separator": "\u2029",
  "next line": "\u0085",
  "vertical tab": "\u000b",
  "form feed": "\u000c",
  "letters that end in CRLF when cut to bytes": "\u560d\u560a",
  "full-width CRLF": "\uff0d\uff0a",
  "lone surrogate CRLF": "\ud800\r\n",
  "percent encoding": "%0d%0a",
  "escape sequence": String.raw`\r\n`,
  "quoted-printable": "=0D=0A",
  "HTML entities": "&#13;&#10;",
  "CRLF and space": "\r\n ",
  "CRLF and tab": "\r\n\t"
}

const afterLineBreak: Readonly<Record<string, (end: string) => string>> = {
  "header fields": (end) => `${end}Bcc: ${evil}${end}${evilField}: yes`,
  "a body": (end) => `${end}${evilField}: yes${end}${end}<b>injected</b>`,
  "a message": (end) =>
    `${end}.${end}MAIL FROM:<${evil}>${end}RCPT TO:<${evil}>${end}DATA${end}${evilField}: yes${end}${end}smuggled${end}.${end}`,
  "a recipient": (end) => `>${end}RCPT TO:<${evil}>${end}`
}

const withoutLineBreak: Readonly<Record<string, string>> = {
  "another address": `, ${evil}`,
  "another bracket": `> <${evil}>`,
  "a closed bracket": `>,<${evil}`,
  "a semicolon": `; ${evil}`,
  "a comment": `(${evil})`,
  "a group": `evil: ${evil};`,
  "a source route": `<@${evilDomain}:${evil}>`,
  "a quote": `" <${evil}>, "`,
  "a backslash and a quote": String.raw`\" <${evil}>, \"`,
  "a parameter of RCPT": `> NOTIFY=SUCCESS ORCPT=rfc822;${evil}`,
  "a space and a word": ` ${evil}`,
  "an encoded word with CRLF": `=?utf-8?Q?=0D=0ABcc:_evil=40${evilDomain}?=`,
  "an encoded word in base64": `=?utf-8?B?${Buffer.from(`\r\nBcc: ${evil}`).toString("base64")}?=`,
  "two encoded words": `=?utf-8?Q?a?= =?utf-8?Q?=0D=0A${evilField}=3A_yes?=`,
  "a parameter": `"; name="evil.exe"; x="`,
  "a parameter by RFC 2231": `; filename*=utf-8''evil%0D%0A${evilField}:%20yes`,
  "a path": "../../../etc/passwd",
  "a path of Windows": String.raw`..\..\evil.exe`,
  "a boundary": "\u2010\u2010boundary--",
  "text direction": "\u202egpj.exe",
  "only control characters": "\u0001\u0002\u001b[2J\u007f",
  "a tag": "<script>alert(1)</script>",
  "a template": "{{#constructor}}{{constructor}}{{/constructor}}",
  "a very long word": "x".repeat(1200)
}

/** One text with its name. */
export interface Payload {
  readonly name: string
  readonly text: string
}

/** A harmless text. Every field takes it, or the tests of the field show nothing. */
export const control: Payload = { name: "control", text: "x" }

export const payloads: ReadonlyArray<Payload> = [
  control,
  ...Object.entries(lineBreaks).flatMap(([end, bytes]) =>
    Object.entries(afterLineBreak).map(([what, text]) => ({ name: `${end}, ${what}`, text: text(bytes) }))
  ),
  ...Object.entries(withoutLineBreak).map(([name, text]) => ({ name, text }))
]
