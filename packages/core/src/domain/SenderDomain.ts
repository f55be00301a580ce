/**
 * A domain a project sends from, and what DNS says of it. Source: interface, List email domains; decision 0013.
 */
import { Schema } from "effect"
import type { DomainId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { dayMillis, hourMillis, minuteMillis } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import { folded } from "./Paging.ts"
import { SearchText } from "./PagingRequest.ts"
import type { ProjectId } from "./Project.ts"
import { textOf } from "./TextRule.ts"

export const domainStatuses = ["pending", "verified", "failed"] as const
export type DomainStatus = (typeof domainStatuses)[number]

export const dnsPurposes = ["dkim", "spf", "dmarc", "return_path"] as const
export type DnsPurpose = (typeof dnsPurposes)[number]

export const dnsRecordStatuses = ["not_started", "pending", "verified", "failed", "temporary_failure"] as const
export type DnsRecordStatus = (typeof dnsRecordStatuses)[number]

/** A record to publish, and how it was found last. */
export interface DnsRecord {
  readonly id: string
  readonly purpose: DnsPurpose
  readonly type: "TXT" | "MX"
  readonly name: string
  readonly value: string
  readonly priority: number | null
  readonly status: DnsRecordStatus
  readonly requiredForSending: boolean
  readonly lastCheckedAt: Instant | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

/** The key that signs the domain's mail. */
export interface DkimKey {
  readonly selector: string
  /** PKCS #8 PEM, encrypted. */
  readonly encryptedPrivateKey: string
}

export interface SenderDomain {
  readonly id: DomainId
  readonly projectId: ProjectId
  /** Lower-case A-labels; unique within the project. */
  readonly domain: string
  readonly status: DomainStatus
  /** Verified by the operator's word: no check takes that back. */
  readonly vouched: boolean
  /** `null` until somebody asks for the records. */
  readonly dkim: DkimKey | null
  readonly records: ReadonlyArray<DnsRecord>
  readonly verificationError: string | null
  readonly verificationAttempts: number
  readonly verificationAttemptedAt: Instant | null
  readonly lastVerifiedAt: Instant | null
  /** Since when a verified domain has failed every check. */
  readonly failingSince: Instant | null
  /** When DNS is asked next; `null`: when somebody asks. */
  readonly nextCheckAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}

/** A verified domain that fails goes on sending for so long. */
export const graceMillis = dayMillis

/** How long after a check the next one comes. */
export const nextCheckMillis = (
  domain: Pick<SenderDomain, "status" | "failingSince" | "verificationAttempts">,
  passing: boolean
): number => {
  if (passing) return 10 * minuteMillis
  if (domain.status === "verified") return domain.failingSince === null ? dayMillis : hourMillis
  return Math.min(dayMillis, 5 * minuteMillis * 2 ** Math.min(12, Math.max(0, domain.verificationAttempts - 1)))
}

/** What the operator's own mail host is called, in the records that a domain publishes. */
export interface MailHost {
  /** Where bounces go, and what may send for the return path. */
  readonly host: string
  /** The label of the return path below each domain. */
  readonly returnPathLabel: string
}

type ToPublish = Pick<DnsRecord, "purpose" | "type" | "name" | "value" | "priority" | "requiredForSending">

/** The records that a domain is to publish. `publicKey` is base64 of its DER form. */
export const recordsToPublish = (
  domain: string,
  selector: string,
  publicKey: string,
  { host, returnPathLabel }: MailHost
): ReadonlyArray<ToPublish> => [
  {
    purpose: "dkim",
    type: "TXT",
    name: `${selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
    priority: null,
    requiredForSending: true
  },
  {
    purpose: "spf",
    type: "TXT",
    name: `${returnPathLabel}.${domain}`,
    value: `v=spf1 a:${host} ~all`,
    priority: null,
    requiredForSending: true
  },
  {
    purpose: "dmarc",
    type: "TXT",
    name: `_dmarc.${domain}`,
    value: "v=DMARC1; p=none",
    priority: null,
    requiredForSending: false
  },
  {
    purpose: "return_path",
    type: "MX",
    name: `${returnPathLabel}.${domain}`,
    value: host,
    priority: 10,
    requiredForSending: false
  }
]

/** How many domains a project may have. */
export const domainsMax = 1000

const domainName = textOf({ min: 1, max: 255 })

export const AddDomainBody = Schema.Struct({
  domain: domainName,
  /** `false` is what every domain has: opens are not tracked. */
  openTracking: Schema.optionalKey(
    Schema.Boolean.check(
      Schema.makeFilter((tracks: boolean) => !tracks, {
        ...says("invalid_value", "must be false: opens are not tracked"),
        toJsonSchema: () => ({ const: false })
      })
    )
  )
}).annotate({ identifier: "AddDomainRequest" })
export const parseAddDomain = decoder(AddDomainBody)

/** In process a domain may be verified by the operator's word: DNS is not asked. */
const NewDomain = Schema.Struct({
  domain: domainName,
  verified: Schema.Boolean.annotate(says("invalid_type", "must be a boolean"))
})
export type NewDomain = typeof NewDomain.Type
export const parseNewDomain = decoder(NewDomain)

/** Which domains a listing shows; `null` is no filter. */
const DomainQuery = Schema.Struct({
  status: Schema.NullOr(Schema.Literals(domainStatuses)).annotate(
    says("invalid_value", `must be null or one of ${domainStatuses.join(", ")}`)
  ),
  /** A part of the domain's name as A-labels, in any case. */
  search: SearchText
})
export type DomainQuery = typeof DomainQuery.Type
export const parseDomainQuery = decoder(DomainQuery)

export const everyDomain: DomainQuery = { status: null, search: null }

/** The filters of a listing as a store evaluates them; `null` is no filter. */
export interface DomainFilters extends DomainQuery {
  /** Only domains of these names. */
  readonly names: ReadonlyArray<string> | null
}

export const noDomainFilters: DomainFilters = { ...everyDomain, names: null }

export const domainFiltersMatch = (
  { status, search, names }: DomainFilters,
  domain: Pick<SenderDomain, "domain" | "status">
): boolean =>
  (status === null || domain.status === status) &&
  (search === null || domain.domain.includes(folded(search))) &&
  (names === null || names.includes(domain.domain))
