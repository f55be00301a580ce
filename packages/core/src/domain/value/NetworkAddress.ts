/**
 * Decides to which network addresses Mailkeep may send a request. Private, local and reserved addresses are refused in every notation.
 * The ranges are those of the IANA special-purpose address registries.
 * Source: decision 0028.
 */

/** Returns the eight groups of an IPv6 address, or `undefined` for other text. An embedded IPv4 address gives two groups. */
const groupsOf = (text: string): ReadonlyArray<number> | undefined => {
  const bare = text.split("%")[0]!
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  const four = tail === null ? undefined : bytesOf(tail[2]!)
  if (tail !== null && four === undefined) return undefined
  const hex =
    four === undefined
      ? bare
      : `${tail![1]}${((four[0]! << 8) | four[1]!).toString(16)}:${((four[2]! << 8) | four[3]!).toString(16)}`
  const halves = hex.split("::")
  if (halves.length > 2 || !hex.includes(":")) return undefined
  const [head = [], rest] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - (rest?.length ?? 0)
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: rest === undefined ? 0 : missing }, () => "0"), ...(rest ?? [])]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined
}

const bytesOf = (text: string): ReadonlyArray<number> | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const bytes = match?.slice(1).map(Number)
  return bytes?.every((byte) => byte <= 255) === true ? bytes : undefined
}

type Range = readonly [prefix: ReadonlyArray<number>, bits: number]

const refused4: ReadonlyArray<Range> = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  // The metadata service of Azure has a public address. Other clouds use private or link-local addresses.
  [[168, 63, 129, 16], 32],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 31, 196], 24],
  [[192, 52, 193], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[192, 175, 48], 24],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 4],
  [[240], 4]
]

/** Only global unicast is public. `refused6` excludes its reserved ranges and the ranges that embed other addresses. */
const public6: Range = [[0x2000], 3]
const refused6: ReadonlyArray<Range> = [
  [[0x2001, 0], 23],
  [[0x2001, 0x0db8], 32],
  [[0x2002], 16],
  [[0x2620, 0x004f, 0x8000], 48],
  [[0x3fff], 20]
]

const within = (parts: ReadonlyArray<number>, [prefix, bits]: Range, width: 8 | 16): boolean => {
  for (let at = 0, left = bits; left > 0; at++, left -= width) {
    const shift = Math.max(0, width - left)
    if ((parts[at] ?? 0) >> shift !== (prefix[at] ?? 0) >> shift) return false
  }
  return true
}

/** Whether a literal address is public. Returns `undefined` if the text is not a literal address. */
export const isPublicAddress = (text: string): boolean | undefined => {
  const four = bytesOf(text)
  if (four !== undefined) return !refused4.some((range) => within(four, range, 8))
  const six = groupsOf(text)
  if (six === undefined) return undefined
  return within(six, public6, 16) && !refused6.some((range) => within(six, range, 16))
}

/** Whether the address is in `127.0.0.0/8`, also in IPv4-mapped form, or is `::1`. */
export const isLoopbackAddress = (text: string): boolean => {
  const four = bytesOf(text)
  if (four !== undefined) return four[0] === 127
  const six = groupsOf(text)
  if (six === undefined) return false
  const [high, low] = [six.slice(0, 5), six.slice(5)]
  return (
    high.every((group) => group === 0) &&
    ((low[0] === 0 && low[1] === 0 && low[2] === 1) || (low[0] === 0xffff && low[1]! >> 8 === 127))
  )
}

/** The host of a URL, an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "")

/**
 * Whether a host, without brackets, is this machine: `localhost`, a name below it (RFC 6761 §6.3), or a loopback address. A full stop at the end of a
 * name makes no other name (RFC 1034 §3.1).
 */
export const isLoopbackHost = (host: string): boolean => /^(?:.*\.)?localhost\.?$/.test(host) || isLoopbackAddress(host)

/** The host and the port in the form of a URL, which has an IPv6 address in brackets. */
export const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

/** Whether a host, without brackets, is a literal address and not a name. */
export const isIpLiteral = (host: string): boolean => isPublicAddress(host) !== undefined

/** Parses a range in CIDR notation. A single address is a range of one address. */
const parseRange = (text: string): { readonly range: Range; readonly width: 8 | 16 } | undefined => {
  const [address = "", suffix, ...more] = text.split("/")
  const four = bytesOf(address)
  const parts = four ?? groupsOf(address)
  if (parts === undefined || more.length > 0 || (suffix !== undefined && !/^\d{1,3}$/.test(suffix))) return undefined
  const bitsMax = four === undefined ? 128 : 32
  const bits = suffix === undefined ? bitsMax : Number(suffix)
  return bits > bitsMax ? undefined : { range: [parts, bits], width: four === undefined ? 16 : 8 }
}

/** Whether the text is an address, or a range such as `10.0.0.0/8`. */
export const isAddressRange = (text: string): boolean => parseRange(text) !== undefined

/** Whether a literal address is in a range. Returns `false` if one of them is not valid, or if only one of them is IPv4. */
export const isInRange = (address: string, range: string): boolean => {
  const parsed = parseRange(range)
  if (parsed === undefined) return false
  const parts = parsed.width === 8 ? bytesOf(address) : groupsOf(address)
  return parts !== undefined && within(parts, parsed.range, parsed.width)
}
