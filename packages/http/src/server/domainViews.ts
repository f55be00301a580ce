/**
 * Converts sender domains to the wire format.
 */
import type { DnsRecord, SenderDomain } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import type { DomainBody } from "../api/Domains.ts"
import { timesView } from "./timesView.ts"

const dnsRecordView = (record: DnsRecord): (typeof DomainBody.Type)["dns_records"][number] => ({
  id: record.id,
  purpose: record.purpose,
  record_type: record.type,
  name: record.name,
  value: record.value,
  priority: record.priority,
  status: record.status,
  required_for_sending: record.requiredForSending,
  last_checked_at: formatInstantOrNull(record.lastCheckedAt),
  error_code: record.errorCode,
  error_message: record.errorMessage
})

export const domainView = (domain: SenderDomain): typeof DomainBody.Type => ({
  id: domain.id,
  domain: domain.domain,
  status: domain.status,
  region: "global",
  open_tracking: false,
  verification_error: domain.verificationError,
  verification_attempts: domain.verificationAttempts,
  verification_attempted_at: formatInstantOrNull(domain.verificationAttemptedAt),
  last_verified_at: formatInstantOrNull(domain.lastVerifiedAt),
  ...timesView(domain),
  dns_records: domain.records.map(dnsRecordView)
})
