/**
 * API keys: the record, the printed form and the permissions.
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
/** The permissions are independent: `email.full_access` does not include `email.send`. */
export type Permission = (typeof permissions)[number]

export interface ApiKey {
  readonly id: ApiKeyId
  readonly projectId: ProjectId
  /** The 12 characters that look up the record of a presented API key. */
  readonly publicId: string
  /** SHA-256 of the secret part, in hex. */
  readonly secretHash: string
  readonly name: string
  readonly permissions: ReadonlyArray<Permission>
  /** Sender domains in A-labels; `null` allows each verified domain of the project. */
  readonly domainScope: ReadonlyArray<string> | null
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** Has a precision of one minute. Mailkeep writes it with a delay, and a crash can lose the last value. */
  readonly lastUsedAt: Instant | null
  readonly revision: number
}

const domainScopeMax = 100

const CreateApiKey = Schema.Struct({
  permissions: Schema.Array(
    Schema.Literals(permissions).annotate(says("invalid_value", `must be one of ${permissions.join(", ")}`))
  ).check(Schema.isMinLength(1, says("required", "at least one is required"))),
  name: Schema.optionalKey(lineOf({ max: 100 })),
  /** At most 100 sender domains. If it is absent or empty, the API key allows each verified domain. */
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
export type CreateApiKey = typeof CreateApiKey.Type
export const parseCreateApiKey = decoder(CreateApiKey, { permissions: permissions.length, domainScope: domainScopeMax })

/** Who acts: an API key, or the embedding product itself. */
export interface Principal {
  readonly projectId: ProjectId
  readonly apiKeyId: ApiKeyId | null
  readonly permissions: ReadonlyArray<Permission>
  readonly domainScope: ReadonlyArray<string> | null
  readonly source: SendingSource
}

/** The interface through which a message was sent. Source: decision 0017. */
export const sendingSources = ["api", "smtp", "embedded"] as const
export type SendingSource = (typeof sendingSources)[number]

/** Makes the principal of the embedding product, which needs no API key. */
export const embeddedPrincipal = (projectId: ProjectId): Principal => ({
  projectId,
  apiKeyId: null,
  permissions,
  domainScope: null,
  source: "embedded"
})

/** A principal, or a project id. A project id means the embedding product, which has all permissions in its projects. */
export type Caller = Principal | ProjectId

export const publicIdLength = 12
const randomLength = 26
const checksumLength = 6
export const secretLength = randomLength + checksumLength
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

/** CRC-32 (IEEE 802.3) in six characters. A mistyped API key is refused without a lookup. */
const checksum = (text: string): string => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(36).padStart(checksumLength, "0").slice(-checksumLength)
}

/** Converts random bytes to characters of the alphabet with equal probability. Skips the bytes from 252, which would add a bias. */
const characters = (random: Uint8Array): string => {
  let text = ""
  for (const byte of random) if (byte < 252) text += alphabet[byte % 36]!
  return text
}

/** The number of random bytes that `mintKey` needs: four times its average use, so that it has enough in practice. */
export const mintKeyBytes = 160

/** Makes the two parts of a new API key. The bytes must come from a cryptographic random source. */
export const mintKey = (random: Uint8Array): { readonly publicId: string; readonly secret: string } => {
  const text = characters(random)
  const publicId = text.slice(0, publicIdLength)
  const body = text.slice(publicIdLength, publicIdLength + randomLength)
  if (body.length < randomLength) throw new RangeError("mintKey: too few usable random bytes")
  return { publicId, secret: body + checksum(publicId + body) }
}

export const printKey = (key: { readonly publicId: string; readonly secret: string }): string =>
  `mk_${key.publicId}_${key.secret}`

/** Returns the parts of a presented API key, or `undefined` if its form or its checksum is wrong. */
export const parseKey = (text: string): { readonly publicId: string; readonly secret: string } | undefined => {
  const match = /^mk_([0-9a-z]{12})_([0-9a-z]{32})$/.exec(text)
  if (match === null) return undefined
  const [publicId, secret] = [match[1]!, match[2]!]
  return checksum(publicId + secret.slice(0, randomLength)) === secret.slice(randomLength)
    ? { publicId, secret }
    : undefined
}

/** The sender domains that a principal may use; `null` allows all domains of its project. */
export type DomainScope = Principal["domainScope"]

/** Whether the API key is neither revoked nor expired at `now`. */
export const isKeyLive = (key: ApiKey, now: Instant): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)

/**
 * Whether an API key with this scope may use the domain. This covers sending, changes to scheduled messages, and the domain's record.
 * A subdomain is another domain.
 */
export const isInScope = (domainScope: DomainScope, domain: string): boolean =>
  domainScope === null || domainScope.includes(domain)
