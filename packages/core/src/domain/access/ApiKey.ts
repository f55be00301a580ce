/**
 * API keys: the record, the complete form and the permissions. Principals.
 * The secret is never stored. Source: docs/spec/coverage.md S9; decision 0014.
 */
import { Result, Schema } from "effect"
import { parseDomain } from "../message/Address.ts"
import type { ApiKeyId } from "../value/Id.ts"
import type { Instant, TimeInput } from "../value/Instant.ts"
import { instantOfInput } from "../value/Instant.ts"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import { lineOf } from "../value/TextRule.ts"
import { Time } from "../value/TimeRule.ts"
import type { ProjectId } from "./Project.ts"

/** Every permission of an API key. */
export const permissions = ["email.send", "email.full_access"] as const
/** What an API key may do. The permissions are independent: `email.full_access` does not include `email.send`. */
export type Permission = (typeof permissions)[number]

/** An API key without its secret. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly projectId: ProjectId
  /** Empty when no name was given. */
  readonly name: string
  readonly permissions: ReadonlyArray<Permission>
  /** Sender domains in A-labels; `null` allows each verified domain of the project. */
  readonly domainScope: ReadonlyArray<string> | null
  readonly createdAt: Instant
  /** `null` when the API key does not expire. */
  readonly expiresAt: Instant | null
  /** `null` when the API key is not revoked. */
  readonly revokedAt: Instant | null
  /** Has a precision of one minute. Mailkeep writes it with a delay, and a crash can lose the last value. */
  readonly lastUsedAt: Instant | null
}

/** An API key as a store keeps it. */
export interface ApiKeyRecord extends ApiKey {
  /** The 12 characters that look up the record of a presented API key. */
  readonly publicId: string
  /** SHA-256 of the secret part, in hex. */
  readonly secretHash: string
  readonly revision: number
}

/** Returns the API key without the fields that only the store needs. */
export const toApiKey = (record: ApiKeyRecord): ApiKey => ({
  id: record.id,
  projectId: record.projectId,
  name: record.name,
  permissions: record.permissions,
  domainScope: record.domainScope,
  createdAt: record.createdAt,
  expiresAt: record.expiresAt,
  revokedAt: record.revokedAt,
  lastUsedAt: record.lastUsedAt
})

/** A new API key. */
export interface CreateApiKeyInput {
  /** What the API key may do: at least one permission. */
  readonly permissions: ReadonlyArray<Permission>
  /** At most 100 characters in one line. Default: empty. */
  readonly name?: string | undefined
  /** 1 to 100 sender domains. Absent: the API key allows each verified domain. An empty list is refused. */
  readonly domainScope?: ReadonlyArray<string> | undefined
  /** Must be in the future. Absent: the API key does not expire. */
  readonly expiresAt?: TimeInput | undefined
}

const domainScopeMax = 100

const CreateApiKey = Schema.Struct({
  permissions: Schema.Array(
    Schema.Literals(permissions).annotate(says("invalid_value", `must be one of ${permissions.join(", ")}`))
  ).check(Schema.isMinLength(1, says("required", "must hold at least one permission"))),
  name: Schema.optionalKey(lineOf({ max: 100 })),
  domainScope: Schema.optionalKey(
    Schema.Array(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) => parseDomain(text) !== undefined,
          says("invalid_value", "must be a domain name")
        )
      )
    ).check(
      Schema.isMinLength(1, says("too_short", "must have at least one domain, or be absent to allow every domain"))
    )
  ),
  expiresAt: Schema.optionalKey(Time)
})

const decodeCreateApiKey = decoder(CreateApiKey, { permissions: permissions.length, domainScope: domainScopeMax })

declare const valid: unique symbol
/** A new API key that `parseCreateApiKey` has checked. */
export type ValidCreateApiKey = Omit<typeof CreateApiKey.Type, "expiresAt"> & {
  readonly expiresAt: Instant | null
  readonly [valid]: true
}
export const parseCreateApiKey: Parser<ValidCreateApiKey> = (input) =>
  Result.map(decodeCreateApiKey(input), ({ expiresAt, ...fields }) => {
    const instant = expiresAt === undefined ? null : instantOfInput(expiresAt)!
    return { ...fields, expiresAt: instant } as unknown as ValidCreateApiKey
  })

/** Who acts: an API key, or the embedding product itself. */
export interface Principal {
  readonly projectId: ProjectId
  /** `null` for the embedding product. */
  readonly apiKeyId: ApiKeyId | null
  readonly permissions: ReadonlyArray<Permission>
  /** Sender domains in A-labels; `null` allows each verified domain of the project. */
  readonly domainScope: ReadonlyArray<string> | null
  readonly source: SendingSource
}

/** The interface through which a message was sent. Source: decision 0017. */
export const sendingSources = ["api", "smtp", "embedded"] as const
/** The interface through which a message was sent: over HTTP, over SMTP, or by the embedding product. */
export type SendingSource = (typeof sendingSources)[number]

/** Makes principals. `Access.authenticate` returns the principal of an API key. */
export const Principal = {
  /** Returns the principal of the embedding product, which has all permissions in its projects and needs no API key. */
  embedded: (projectId: ProjectId): Principal => ({
    projectId,
    apiKeyId: null,
    permissions,
    domainScope: null,
    source: "embedded"
  })
}

/**
 * A principal, or a project id. A project id means the embedding product, which has all permissions in its projects. A service acts in the
 * project of its caller. It does not check permissions: `Access.authorize` does. `Sending` and `Domains` also apply the domain scope.
 */
export type Caller = Principal | ProjectId

export const publicIdLength = 12
const randomLength = 26
const checksumLength = 6
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

/** The number of random bytes that `mintApiKey` needs: four times its average use, so that it has enough in practice. */
export const mintApiKeyBytes = 160

/** Makes the two parts of a new API key. The bytes must come from a cryptographic random source. */
export const mintApiKey = (random: Uint8Array): { readonly publicId: string; readonly secret: string } => {
  const text = characters(random)
  const publicId = text.slice(0, publicIdLength)
  const body = text.slice(publicIdLength, publicIdLength + randomLength)
  if (body.length < randomLength) throw new RangeError("mintApiKey: too few usable random bytes")
  return { publicId, secret: body + checksum(publicId + body) }
}

/** Returns the complete API key, as its owner sees it. */
export const formatApiKey = (parts: { readonly publicId: string; readonly secret: string }): string =>
  `mk_${parts.publicId}_${parts.secret}`

/** Returns the parts of a presented API key, or `undefined` if its form or its checksum is wrong. */
export const parseApiKey = (text: string): { readonly publicId: string; readonly secret: string } | undefined => {
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
export const isApiKeyLive = (apiKey: Pick<ApiKey, "revokedAt" | "expiresAt">, now: Instant): boolean =>
  apiKey.revokedAt === null && (apiKey.expiresAt === null || apiKey.expiresAt > now)

/**
 * Whether an API key with this scope may use the domain. This covers sending, changes to scheduled messages, and the domain's record.
 * A subdomain is another domain.
 */
export const isInScope = (domainScope: DomainScope, domain: string): boolean =>
  domainScope === null || domainScope.includes(domain)
