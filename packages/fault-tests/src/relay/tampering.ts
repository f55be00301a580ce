/**
 * Changes a signed message in every way that its DKIM signature must detect: each signed header field is changed, removed and added, and the
 * body is changed. Source: RFC 6376 §5.4 and §8.15.
 */

/** A changed message, and what was changed. */
export interface Tampering {
  readonly what: string
  readonly raw: Buffer
}

interface Field {
  readonly name: string
  /** The whole field with its line ends. */
  readonly text: string
}

interface SignedMail {
  readonly fields: ReadonlyArray<Field>
  readonly body: Buffer
  /** The names in `h=`, in lower case, as often as they are there. */
  readonly signed: ReadonlyArray<string>
}

const endOfHeader = "\r\n\r\n"
const whiteSpace = Buffer.from(" \t\r\n")

const readSigned = (raw: Buffer): SignedMail | undefined => {
  const end = raw.indexOf(endOfHeader)
  if (end < 0) return undefined
  const head = `${raw.subarray(0, end).toString("latin1")}\r\n`
  const fields = (head.match(/[^\r\n][^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/g) ?? []).map((text) => ({
    name: text.slice(0, text.indexOf(":")).trim().toLowerCase(),
    text
  }))
  const signature = fields.find(({ name }) => name === "dkim-signature")?.text.replaceAll(/\s/g, "")
  const list = /[:;]h=([^;]*)/.exec(signature ?? "")?.[1]
  if (list === undefined) return undefined
  return { fields, body: raw.subarray(end + endOfHeader.length), signed: list.toLowerCase().split(":") }
}

const written = (fields: ReadonlyArray<Field>, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${fields.map(({ text }) => text).join("")}\r\n`, "latin1"), body])

/** The names of the header fields that the signature covers; empty without a signature. */
export const signedFields = (raw: Buffer): ReadonlyArray<string> => readSigned(raw)?.signed ?? []

/** The names that appear in the message, in lower case. */
export const presentFields = (raw: Buffer): ReadonlyArray<string> =>
  readSigned(raw)?.fields.map(({ name }) => name) ?? []

const times = (list: ReadonlyArray<string>, name: string): number => list.filter((one) => one === name).length

/**
 * The body without its first byte that is not white space; none if it has no such byte. White space may change under a signature with the relaxed
 * canonicalization. Source: RFC 6376 §3.4.4.
 */
const withoutFirstVisibleByte = (body: Buffer): ReadonlyArray<Buffer> => {
  const at = body.findIndex((byte) => !whiteSpace.includes(byte))
  return at < 0 ? [] : [Buffer.concat([body.subarray(0, at), body.subarray(at + 1)])]
}

/** All tamperings of one message. None when it has no signature. */
export const tamperings = (raw: Buffer): ReadonlyArray<Tampering> => {
  const mail = readSigned(raw)
  if (mail === undefined) return []
  const { fields, body, signed } = mail
  const names = [...new Set(signed)]
  const present = fields.map(({ name }) => name)
  const inFields = names.flatMap((name): ReadonlyArray<Tampering> => {
    const index = present.indexOf(name)
    const found: Array<Tampering> = []
    if (index >= 0) {
      const changed = fields.with(index, { name, text: fields[index]!.text.replace(/\r\n$/, "x\r\n") })
      found.push({ what: `${name} is changed`, raw: written(changed, body) })
      found.push({ what: `${name} is removed`, raw: written(fields.toSpliced(index, 1), body) })
    }
    // The signature covers one field more than the message has, so another one breaks it.
    if (times(signed, name) > times(present, name)) {
      const added = { name, text: `${name}: another@evil.test\r\n` }
      found.push({ what: `${name} is added at the beginning`, raw: written([added, ...fields], body) })
      found.push({ what: `${name} is added at the end`, raw: written([...fields, added], body) })
    }
    return found
  })
  return [
    ...inFields,
    { what: "a line is added to the body", raw: written(fields, Buffer.concat([body, Buffer.from("more\r\n")])) },
    ...withoutFirstVisibleByte(body).map((changed) => ({
      what: "the first visible byte of the body is removed",
      raw: written(fields, changed)
    }))
  ]
}
