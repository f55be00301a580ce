/**
 * API keys: their record, their printed form, and what they allow.
 * The printed secret is never stored. Source: interface, Authentication; decision 0014.
 */
import { Schema } from "effect"
import { parseDomain } from "./Address.ts"
import type { ApiKeyId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import { InstantMillis } from "./NumberRule.ts"
import type { ProjectId } from "./Project.ts"
import { lineOf } from "./TextRule.ts"

export const permissions = ["email.send", "email.full_access"] as const
/** Each stands for itself: `email.full_access` does not include `email.send`. */
export type Permission = (typeof permissions)[number]

export interface ApiKey {
  readonly id: ApiKeyId
  readonly projectId: ProjectId
  /** The 12 characters by which a presented key is found. */
  readonly publicId: string
  /** SHA-256 of the secret part, in hex. */
  readonly secretHash: string
  readonly name: string
  readonly permissions: ReadonlyArray<Permission>
  /** Sender domains as A-labels, or `null` for any verified one. */
  readonly domainScope: ReadonlyArray<string> | null
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** To the minute; written late, may be lost. */
  readonly lastUsedAt: Instant | null
  readonly revision: number
}

const domainScopeMax = 100

const IssueKey = Schema.Struct({
  permissions: Schema.Array(
    Schema.Literals(permissions).annotate(says("invalid_value", `must be one of ${permissions.join(", ")}`))
  ).check(Schema.isMinLength(1, says("required", "at least one is required"))),
  name: Schema.optionalKey(lineOf({ max: 100 })),
  /** Sender domains, at most 100; left out or empty for any verified one. */
  domainScope: Schema.optionalKey(
    Schema.Array(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) => parseDomain(text) !== undefined,
          says("invalid_value", "must be a domain name")
        )
      )
    )
  ),
  expiresAt: Schema.optionalKey(InstantMillis)
})
export type IssueKey = typeof IssueKey.Type
export const parseIssueKey = decoder(IssueKey, { permissions: permissions.length, domainScope: domainScopeMax })

/** Who asks: a key's bearer, or the embedding product itself. */
export interface Principal {
  readonly projectId: ProjectId
  readonly keyId: ApiKeyId | null
  readonly permissions: ReadonlyArray<Permission>
  readonly domainScope: ReadonlyArray<string> | null
  readonly source: SendingSource
}

/** How a message came in. Source: decision 0017. */
export const sendingSources = ["api", "smtp", "embedded"] as const
export type SendingSource = (typeof sendingSources)[number]

/** The embedding product, which needs no key. */
export const embedder = (projectId: ProjectId): Principal => ({
  projectId,
  keyId: null,
  permissions,
  domainScope: null,
  source: "embedded"
})

/** Who asks: a principal; or a project's name alone for the embedding product, which may do everything in its projects. */
export type Caller = Principal | ProjectId

export const publicIdLength = 12
const randomLength = 26
const checksumLength = 6
export const secretLength = randomLength + checksumLength
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

/** CRC-32 (IEEE 802.3) in six characters: a mistyped key is refused without a look-up. */
const checksum = (text: string): string => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(36).padStart(checksumLength, "0").slice(-checksumLength)
}

/** Random bytes as characters of the alphabet, evenly: bytes past the last full run of the alphabet are passed over. */
const characters = (random: Uint8Array): string => {
  let text = ""
  for (const byte of random) if (byte < 252) text += alphabet[byte % 36]!
  return text
}

/** How many random bytes `mintKey` wants; four times what it uses on average, so that it cannot run short in practice. */
export const mintKeyBytes = 160

/** A new key's two parts. The bytes must come from a cryptographic source. */
export const mintKey = (random: Uint8Array): { readonly publicId: string; readonly secret: string } => {
  const text = characters(random)
  const publicId = text.slice(0, publicIdLength)
  const body = text.slice(publicIdLength, publicIdLength + randomLength)
  if (body.length < randomLength) throw new RangeError("mintKey: too few usable random bytes")
  return { publicId, secret: body + checksum(publicId + body) }
}

export const printKey = (key: { readonly publicId: string; readonly secret: string }): string =>
  `mk_${key.publicId}_${key.secret}`

/** The parts of a presented key, or `undefined` when it has not the form or its checksum is wrong. */
export const parseKey = (text: string): { readonly publicId: string; readonly secret: string } | undefined => {
  const match = /^mk_([0-9a-z]{12})_([0-9a-z]{32})$/.exec(text)
  if (match === null) return undefined
  const [publicId, secret] = [match[1]!, match[2]!]
  return checksum(publicId + secret.slice(0, randomLength)) === secret.slice(randomLength)
    ? { publicId, secret }
    : undefined
}

/** The sender domains that a principal is bounded to, or `null` for all of its project. */
export type DomainScope = Principal["domainScope"]

/** Whether the key may be used now. */
export const isKeyLive = (key: ApiKey, now: Instant): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)

/**
 * Whether a key with this scope may use the domain: send from it, change what is scheduled from it, and see, verify and delete it. A sub-domain is
 * another domain.
 */
export const isInScope = (domainScope: DomainScope, domain: string): boolean =>
  domainScope === null || domainScope.includes(domain)
