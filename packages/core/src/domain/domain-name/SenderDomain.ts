/**
 * A sender domain of a project, and the results of its DNS checks. Source: docs/spec/coverage.md S8; decision 0013.
 */
import { Result, Schema } from "effect"
import type { ProjectId } from "../access/Project.ts"
import type { PageInput, PageRequest } from "../store/Paging.ts"
import { parseDomain } from "../message/Address.ts"
import { caseFold } from "../store/textSearch.ts"
import { pageFields, pageOrDefault, SearchText } from "../store/PagingRequest.ts"
import type { DomainId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import { dayMillis, hourMillis, minuteMillis } from "../value/Instant.ts"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import type { OptionRules } from "../value/OptionRule.ts"
import { mustBe } from "../value/OptionRule.ts"
import { choiceOrNull, textOf } from "../value/TextRule.ts"

/** Every status of a sender domain. */
export const domainStatuses = ["pending", "verified", "failed"] as const
/** The status of a sender domain. Mail can be sent only from a `verified` domain. */
export type DomainStatus = (typeof domainStatuses)[number]

/** Every purpose of a DNS record of a sender domain. */
export const dnsPurposes = ["dkim", "spf", "dmarc", "return_path"] as const
/** What a DNS record of a sender domain is for. */
export type DnsPurpose = (typeof dnsPurposes)[number]

/** Every result of a check of a DNS record. */
export const dnsRecordStatuses = ["not_started", "pending", "verified", "failed", "temporary_failure"] as const
/** The result of the last check of a DNS record. */
export type DnsRecordStatus = (typeof dnsRecordStatuses)[number]

/** A DNS record to publish, and the result of its last check. */
export interface DnsRecord {
  readonly id: string
  readonly purpose: DnsPurpose
  readonly type: "TXT" | "MX"
  /** The name at which to publish the record, in full. */
  readonly name: string
  readonly value: string
  /** The priority of an MX record; `null` for a TXT record. */
  readonly priority: number | null
  readonly status: DnsRecordStatus
  /** Whether the domain becomes verified only when DNS has this record. */
  readonly requiredForSending: boolean
  readonly lastCheckedAt: Instant | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

/** A sender domain of a project. */
export interface SenderDomain {
  readonly id: DomainId
  /** Lower-case A-labels; unique within the project. */
  readonly domain: string
  readonly status: DomainStatus
  /** The operator verified the domain manually. A DNS check does not change that. */
  readonly manuallyVerified: boolean
  /** The DNS records to publish. Empty for a manually verified domain until `verify` is called. */
  readonly records: ReadonlyArray<DnsRecord>
  /** What the last DNS check found wrong; `null` when it found nothing. */
  readonly verificationError: string | null
  /** The number of DNS checks. */
  readonly verificationAttempts: number
  readonly verificationAttemptedAt: Instant | null
  readonly lastVerifiedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** The DKIM key that signs the mail of the domain. */
export interface DkimKey {
  readonly selector: string
  /** PKCS #8 PEM, encrypted. */
  readonly encryptedPrivateKey: string
}

/** The DKIM key of a domain, and the key that replaces it. */
export interface DomainDkim extends DkimKey {
  /** Signs nothing until DNS has its record, and then replaces the key. Absent when the key is not being rotated. */
  readonly next?: DkimKey
}

/** A DNS record as a store keeps it. */
export interface StoredDnsRecord extends DnsRecord {
  /** Whether DNS had the record at its last definite answer. Absent before the first check, and in records of earlier versions. */
  readonly published?: boolean
}

/** A sender domain as a store keeps it. */
export interface SenderDomainRecord extends SenderDomain {
  readonly projectId: ProjectId
  readonly records: ReadonlyArray<StoredDnsRecord>
  /** `null` until the DNS records are requested. */
  readonly dkim: DomainDkim | null
  /** The first of the consecutive failed checks of a verified domain; `null` if the last check succeeded. */
  readonly failingSince: Instant | null
  /** The time of the next automatic DNS check; `null` means that there is none. */
  readonly nextCheckAt: Instant | null
  readonly revision: number
}

const toDnsRecord = (record: StoredDnsRecord): DnsRecord => {
  const { published: _, ...shown } = record
  return shown
}

/** Returns the domain without the fields that only the store needs. */
export const toSenderDomain = (record: SenderDomainRecord): SenderDomain => ({
  id: record.id,
  domain: record.domain,
  status: record.status,
  manuallyVerified: record.manuallyVerified,
  records: record.records.map(toDnsRecord),
  verificationError: record.verificationError,
  verificationAttempts: record.verificationAttempts,
  verificationAttemptedAt: record.verificationAttemptedAt,
  lastVerifiedAt: record.lastVerifiedAt,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt
})

/** Whether DNS has the record. A name server that does not answer changes nothing. */
export const isPublishedRecord = ({ status, published = false }: StoredDnsRecord): boolean =>
  status === "verified" || (status === "temporary_failure" && published)

/** Whether DNS has the domain's DKIM key. A domain that DNS has verified keeps it while later checks fail, until the domain fails. */
export const hasPublishedDkimKey = ({ records, status, manuallyVerified }: SenderDomainRecord): boolean =>
  records.some((record) => record.purpose === "dkim" && isPublishedRecord(record)) ||
  (status === "verified" && !manuallyVerified)

/** The domain of return paths, if DNS sends its mail to the host that receives bounces. */
export const returnPathDomainOf = (domain: SenderDomainRecord | null): string | null =>
  domain?.records.find((record) => record.purpose === "return_path" && isPublishedRecord(record))?.name ?? null

/** How long a verified domain can still send after its checks begin to fail. */
export const dnsFailingMillisMax = dayMillis

/**
 * Returns the time from one check to the next. `transient` means that the last check failed temporarily. A domain that is not verified waits as long
 * as it exists, limited to between 5 min and a day. The number of checks says nothing: a page that asks for a check every few seconds must not delay
 * the next one.
 */
export const nextCheckMillis = (
  domain: Pick<SenderDomainRecord, "status" | "failingSince" | "createdAt">,
  transient: boolean,
  now: Instant
): number => {
  if (transient) return 10 * minuteMillis
  if (domain.status === "verified") return domain.failingSince === null ? dayMillis : hourMillis
  return Math.min(dayMillis, Math.max(5 * minuteMillis, now - domain.createdAt))
}

/** The names of the operator's mail host for the DNS records. */
export interface MailHost {
  /** The host that receives bounces and sends for the return path, in any case and in Unicode or A-labels. */
  readonly host: string
  /** The label of the return path below each domain. */
  readonly returnPathLabel: string
}

/** Whether the text can be the name of the operator's mail host. `localhost` is the default. */
export const isMailHostName = (value: unknown): boolean =>
  typeof value === "string" && (value === "localhost" || parseDomain(value) !== undefined)

/** The rule of each name. */
export const mailHostRules: OptionRules<MailHost> = {
  host: mustBe("the name of a mail host, such as mail.acme.example", isMailHostName),
  returnPathLabel: mustBe(
    "the label of a domain, such as bounces",
    (value) => typeof value === "string" && parseDomain(`${value}.example`) === `${value}.example`
  )
}

/** The name of the DNS record of a DKIM key. */
export const dkimRecordName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

/** The value of the DNS record of a DKIM key. `publicKey` is in DER form, encoded in base64. */
export const dkimRecordValue = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`

type ToPublish = Pick<DnsRecord, "purpose" | "type" | "name" | "value" | "priority" | "requiredForSending">

/** Returns the DNS records that a domain must publish. `publicKey` is in DER form, encoded in base64. */
export const recordsToPublish = (
  domain: string,
  selector: string,
  publicKey: string,
  { host, returnPathLabel }: MailHost
): ReadonlyArray<ToPublish> => {
  // DNS has only A-labels. `localhost` is no domain name.
  const hostName = parseDomain(host) ?? host
  return [
    {
      purpose: "dkim",
      type: "TXT",
      name: dkimRecordName(selector, domain),
      value: dkimRecordValue(publicKey),
      priority: null,
      requiredForSending: true
    },
    {
      purpose: "spf",
      type: "TXT",
      name: `${returnPathLabel}.${domain}`,
      value: `v=spf1 a:${hostName} ~all`,
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
      value: hostName,
      priority: 10,
      requiredForSending: false
    }
  ]
}

/** The maximum number of domains in a project. */
export const domainsMax = 1000

/** A domain to add. */
export interface CreateDomainInput {
  /** The domain name, such as `mail.example.com`, in any case and in Unicode or A-labels. At most 255 characters. */
  readonly domain: string
  /** `true` verifies the domain manually, without DNS. Default: `false`. */
  readonly verified?: boolean | undefined
}

/** Which domains to list. An absent field or `null` means no filter. */
export interface ListDomainsInput extends PageInput {
  /** Only domains with this status. */
  readonly status?: DomainStatus | null | undefined
  /** A part of the domain's name in A-labels, at most 255 characters. Ignores case. */
  readonly search?: string | null | undefined
}

const domainNameCharactersMax = 255

/** The rule for the name of a domain in a request. A text of another length has only the issue of its length. */
export const domainNameRule = textOf({ min: 1, max: domainNameCharactersMax }).check(
  Schema.makeFilter(
    (name: string) => name === "" || name.length > domainNameCharactersMax || parseDomain(name) !== undefined,
    says("invalid_value", "must be a domain name")
  )
)

const CreateDomain = Schema.Struct({ domain: domainNameRule, verified: Schema.optionalKey(Schema.Boolean) })

declare const valid: unique symbol
/** A domain to add that `parseCreateDomain` has checked. */
export type ValidCreateDomain = typeof CreateDomain.Type & { readonly [valid]: "create" }
export const parseCreateDomain = decoder(CreateDomain) as Parser<ValidCreateDomain>

/** The filters that a store evaluates; `null` means no filter. */
export interface DomainFilters {
  /** Only domains with this status. */
  readonly status: DomainStatus | null
  /** A part of the domain's name in A-labels. Ignores case. */
  readonly search: string | null
  /** Only domains with these names. */
  readonly names: ReadonlyArray<string> | null
}

/** Filters that match every domain. */
export const noDomainFilters: DomainFilters = { status: null, search: null, names: null }

const decodeListDomains = decoder(
  Schema.Struct({
    status: Schema.optionalKey(choiceOrNull(domainStatuses)),
    search: Schema.optionalKey(SearchText),
    ...pageFields
  })
)

/** Parses the filters and the page of a listing of domains, and adds the defaults. */
export const parseListDomains: Parser<Pick<DomainFilters, "status" | "search"> & { readonly page: PageRequest }> = (
  input = {}
) =>
  Result.map(decodeListDomains(input), ({ status = null, search = null, ...page }) => ({
    status,
    search,
    page: pageOrDefault(page)
  }))

/** Whether a store lists the domain for these filters. */
export const domainFiltersMatch = (
  { status, search, names }: DomainFilters,
  domain: Pick<SenderDomain, "domain" | "status">
): boolean =>
  (status === null || domain.status === status) &&
  (search === null || domain.domain.includes(caseFold(search))) &&
  (names === null || names.includes(domain.domain))
