/**
 * The sender domains of one project, with promises.
 */
import type { CreateDomainInput, ListDomainsInput, SenderDomain } from "../domain/domain-name/SenderDomain.ts"
import type { Page, PageInput } from "../domain/store/Paging.ts"
import type { CallOptions } from "./CallOptions.ts"

/** A sender domain, with the fields that the interface over HTTP shows. An embedded project returns more. */
export interface ListedDomain extends Omit<SenderDomain, "manuallyVerified"> {}

/** The sender domains of a project, their DNS records and the checks of these records. */
export interface DomainsHandle<Domain = ListedDomain, Create = Pick<CreateDomainInput, "domain">> {
  /** One page of the domains, newest first. */
  readonly list: (input?: ListDomainsInput, options?: CallOptions) => Promise<Page<Domain>>
  /** All matching domains, newest first. */
  readonly each: (filter?: Omit<ListDomainsInput, keyof PageInput>, options?: CallOptions) => AsyncIterable<Domain>
  /** A domain with the DNS records to publish. Rejects with `RecordNotFound`. */
  readonly get: (domainId: string, options?: CallOptions) => Promise<Domain>
  /**
   * Creates a domain. The result has the DNS records to publish. Rejects with `DomainTaken` when the project has the domain, and with
   * `TooManyRecords` when the project has 1,000 domains.
   */
  readonly create: (input: Create, options?: CallOptions) => Promise<Domain>
  /** Checks every record of the domain in DNS, now. Rejects with `RecordNotFound`. */
  readonly verify: (domainId: string, options?: CallOptions) => Promise<Domain>
  /**
   * Deletes the domain. Sends from the domain are then refused, and its scheduled deliveries fail when they are due. Rejects with
   * `RecordNotFound`.
   */
  readonly delete: (domainId: string, options?: CallOptions) => Promise<void>
}
