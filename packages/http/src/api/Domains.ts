/**
 * Sender domains. Source: interface, List email domains; decision 0013.
 */
import { domainStatuses } from "@mailkeep/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { pageOf } from "./Page.ts"
import { Limit, PageNumber } from "./Parameters.ts"

const text = Schema.NullOr(Schema.String)

const DnsRecordBody = Schema.Struct({
  id: Schema.String,
  purpose: Schema.String,
  record_type: Schema.String,
  name: Schema.String,
  value: Schema.String,
  priority: Schema.NullOr(Schema.Int),
  status: Schema.Literals(["not_started", "pending", "verified", "failed", "temporary_failure"]),
  required_for_sending: Schema.Boolean,
  last_checked_at: text,
  error_code: text,
  error_message: text
}).annotate({ identifier: "DnsRecord" })

export const DomainBody = Schema.Struct({
  id: Schema.String,
  domain: Schema.String,
  status: Schema.Literals(domainStatuses),
  region: text,
  open_tracking: Schema.Boolean,
  verification_error: text,
  verification_attempts: Schema.Int,
  verification_attempted_at: text,
  last_verified_at: text,
  created_at: Schema.String,
  updated_at: Schema.String,
  dns_records: Schema.Array(DnsRecordBody)
}).annotate({ identifier: "Domain" })

const DomainPageBody = pageOf(DomainBody, "ListDomainsResponse")

export class Domains extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", "/emails/domains", {
      query: { page: PageNumber, limit: Limit },
      success: DomainPageBody
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(OpenApi.annotations({ summary: "List email domains" }))
  )
  .middleware(WellFormed)
  .middleware(Bearer) {}
