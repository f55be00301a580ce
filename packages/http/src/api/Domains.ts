/**
 * Sender domains. Source: docs/spec/coverage.md S8; decision 0013.
 */
import { dnsPurposes, dnsRecordStatuses, domainNameRule, domainStatuses, says } from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { bodyRefusals, ConflictBody, DuplicateBody, NotFoundBody } from "./Failures.ts"
import { pageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { idParams, jsonRequest, Limit, noQuery, oneOf, PageNumber, Search } from "./Parameters.ts"

export const AddDomainBody = Schema.Struct({
  domain: domainNameRule,
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

const DnsRecordBody = Schema.Struct({
  id: Schema.String,
  purpose: Schema.Literals(dnsPurposes),
  record_type: Schema.Literals(["TXT", "MX"]),
  name: Schema.String,
  value: Schema.String,
  priority: Schema.NullOr(Schema.Int),
  status: Schema.Literals(dnsRecordStatuses),
  required_for_sending: Schema.Boolean,
  last_checked_at: TextOrNull,
  error_code: TextOrNull,
  error_message: TextOrNull
}).annotate({ identifier: "DnsRecord" })

export const DomainBody = Schema.Struct({
  id: Schema.String,
  domain: Schema.String,
  status: Schema.Literals(domainStatuses),
  region: Schema.Literal("global"),
  open_tracking: Schema.Boolean,
  verification_error: TextOrNull,
  verification_attempts: Schema.Int,
  verification_attempted_at: TextOrNull,
  last_verified_at: TextOrNull,
  created_at: Schema.String,
  updated_at: Schema.String,
  dns_records: Schema.Array(DnsRecordBody)
}).annotate({ identifier: "Domain" })

const OneDomain = responseOf(DomainBody, "DomainResponse")
const DomainDetails = Schema.Struct({ message: Schema.String, data: DomainBody }).annotate({
  identifier: "DomainDetailsResponse"
})

const DomainPageBody = pageOf(DomainBody, "ListDomainsResponse")

export class Domains extends HttpApiGroup.make("domains")
  .add(
    HttpApiEndpoint.get("list", "/emails/domains", {
      query: { page: PageNumber, limit: Limit, status: oneOf(domainStatuses), search: Search },
      success: DomainPageBody
    }).annotateMerge(OpenApi.annotations({ summary: "List email domains" })),
    HttpApiEndpoint.post("add", "/emails/domains", {
      ...jsonRequest,
      payload: AddDomainBody,
      success: OneDomain,
      error: [DuplicateBody, ConflictBody, ...bodyRefusals]
    }).annotateMerge(OpenApi.annotations({ summary: "Add a domain; the response has the DNS records to publish" })),
    HttpApiEndpoint.get("get", "/emails/domains/:id", {
      params: idParams,
      query: noQuery,
      success: DomainDetails,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Get a domain" })),
    HttpApiEndpoint.delete("remove", "/emails/domains/:id", {
      params: idParams,
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Remove a domain; sends from it are refused from now on" })),
    HttpApiEndpoint.post("verify", "/emails/domains/:id/verify", {
      params: idParams,
      query: noQuery,
      success: OneDomain,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Check the DNS records of a domain now" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
