/**
 * A sender domain of a project, and the results of its DNS checks. Source: interface, List email domains; decision 0013.
 */
import { Schema } from "effect"
import type { DomainId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import { dayMillis, hourMillis, minuteMillis } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"
import { caseFold } from "./Paging.ts"
import { SearchText } from "./PagingRequest.ts"
import type { ProjectId } from "./Project.ts"
import { textOf } from "./TextRule.ts"

export const domainStatuses = ["pending", "verified", "failed"] as const
export type DomainStatus = (typeof domainStatuses)[number]

export const dnsPurposes = ["dkim", "spf", "dmarc", "return_path"] as const
export type DnsPurpose = (typeof dnsPurposes)[number]

export const dnsRecordStatuses = ["not_started", "pending", "verified", "failed", "temporary_failure"] as const
export type DnsRecordStatus = (typeof dnsRecordStatuses)[number]

/** A DNS record to publish, and the result of its last check. */
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

/** The DKIM key that signs the mail of the domain. */
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
  /** The operator verified the domain manually. A DNS check does not change that. */
  readonly manuallyVerified: boolean
  /** `null` until the DNS records are requested. */
  readonly dkim: DkimKey | null
  readonly records: ReadonlyArray<DnsRecord>
  readonly verificationError: string | null
  readonly verificationAttempts: number
  readonly verificationAttemptedAt: Instant | null
  readonly lastVerifiedAt: Instant | null
  /** The first of the consecutive failed checks of a verified domain; `null` if the last check succeeded. */
  readonly failingSince: Instant | null
  /** The time of the next automatic DNS check; `null` means that there is none. */
  readonly nextCheckAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly revision: number
}

/** How long a verified domain can still send after its checks begin to fail. */
export const graceMillis = dayMillis

/** Returns the time from one check to the next. `passing` means that the last check failed temporarily. */
export const nextCheckMillis = (
  domain: Pick<SenderDomain, "status" | "failingSince" | "verificationAttempts">,
  passing: boolean
): number => {
  if (passing) return 10 * minuteMillis
  if (domain.status === "verified") return domain.failingSince === null ? dayMillis : hourMillis
  return Math.min(dayMillis, 5 * minuteMillis * 2 ** Math.min(12, Math.max(0, domain.verificationAttempts - 1)))
}

/** The names of the operator's mail host for the DNS records. */
export interface MailHost {
  /** The host that receives bounces and sends for the return path. */
  readonly host: string
  /** The label of the return path below each domain. */
  readonly returnPathLabel: string
}

type ToPublish = Pick<DnsRecord, "purpose" | "type" | "name" | "value" | "priority" | "requiredForSending">

/** Returns the DNS records that a domain must publish. `publicKey` is in DER form, encoded in base64. */
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

/** The maximum number of domains in a project. */
export const domainsMax = 1000

const domainName = textOf({ min: 1, max: 255 })

export const AddDomainBody = Schema.Struct({
  domain: domainName,
  /** Must be `false`, because Mailkeep does not track opens. */
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

/** The in-process request. The operator can verify a domain manually, without a DNS check. */
const NewDomain = Schema.Struct({
  domain: domainName,
  verified: Schema.Boolean.annotate(says("invalid_type", "must be a boolean"))
})
export type NewDomain = typeof NewDomain.Type
export const parseNewDomain = decoder(NewDomain)

/** The filters of a domain listing; `null` means no filter. */
const DomainQuery = Schema.Struct({
  status: Schema.NullOr(Schema.Literals(domainStatuses)).annotate(
    says("invalid_value", `must be null or one of ${domainStatuses.join(", ")}`)
  ),
  /** A part of the domain's name in A-labels. Ignores case. */
  search: SearchText
})
export type DomainQuery = typeof DomainQuery.Type
export const parseDomainQuery = decoder(DomainQuery)

export const everyDomain: DomainQuery = { status: null, search: null }

/** The filters that a store evaluates; `null` means no filter. */
export interface DomainFilters extends DomainQuery {
  /** Only domains with these names. */
  readonly names: ReadonlyArray<string> | null
}

export const noDomainFilters: DomainFilters = { ...everyDomain, names: null }

export const domainFiltersMatch = (
  { status, search, names }: DomainFilters,
  domain: Pick<SenderDomain, "domain" | "status">
): boolean =>
  (status === null || domain.status === status) &&
  (search === null || domain.domain.includes(caseFold(search))) &&
  (names === null || names.includes(domain.domain))
