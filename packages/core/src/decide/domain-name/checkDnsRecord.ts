/**
 * Checks a DNS answer against the record that a domain must publish. Source: RFC 6376 §3.6.1, RFC 7208 §3, RFC 7489 §6.3; decision 0013.
 */
import type { DnsRecord } from "../../domain/domain-name/SenderDomain.ts"
import type { DnsFinding } from "./checkDomain.ts"

/** The DNS answer for the record's name: the texts of TXT records, or the hosts of MX records. */
export type DnsAnswer =
  | { readonly _tag: "Found"; readonly values: ReadonlyArray<string> }
  | { readonly _tag: "Missing"; readonly definite: boolean; readonly code: string }

/** Parses the tags of `v=DKIM1; k=rsa; p=…`. Ignores white space. */
const tagsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(";").flatMap((tag) => {
      const at = tag.indexOf("=")
      return at < 0 ? [] : [[tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).replace(/\s+/g, "")] as const]
    })
  )

const bare = (host: string): string => host.toLowerCase().replace(/\.$/, "")

/** Compares two mechanisms without regard to case. A mechanism without a qualifier has the qualifier `+` (RFC 7208 §4.6.1 and §4.6.2). */
const sameMechanism = (a: string, b: string): boolean =>
  a.replace(/^\+/, "").toLowerCase() === b.replace(/^\+/, "").toLowerCase()

/** Returns what is wrong with the only SPF record. `all` always matches, so no mechanism after `all` is evaluated (RFC 7208 §5.1). */
const spfProblem = (policy: string, mechanism: string): string | undefined => {
  const terms = policy.split(/\s+/)
  const position = terms.findIndex((term) => sameMechanism(term, mechanism))
  if (position === -1) return `The SPF record does not contain ${mechanism}.`
  return terms.slice(0, position).some((term) => /^[-+~?]?all$/i.test(term))
    ? `The SPF record has ${mechanism} after all, where it has no effect.`
    : undefined
}

/** Returns what is wrong with the values, or `undefined` if they match the record. */
const problemOf = ({ purpose, value }: DnsRecord, values: ReadonlyArray<string>): string | undefined => {
  switch (purpose) {
    case "dkim": {
      const publicKey = tagsOf(value).get("p")
      return values.some((text) => tagsOf(text).get("p") === publicKey) ? undefined : "The DKIM record has another key."
    }
    case "spf": {
      const policies = values.filter((text) => /^v=spf1(\s|$)/i.test(text))
      if (policies.length > 1) return "There is more than one SPF record."
      const [, mechanism] = value.split(" ")
      return spfProblem(policies[0] ?? "", mechanism!)
    }
    case "dmarc":
      return values.filter((text) => /^v=DMARC1\s*(;|$)/i.test(text)).length === 1
        ? undefined
        : "There is not exactly one DMARC record."
    case "return_path":
      return values.some((host) => bare(host) === bare(value)) ? undefined : `No MX record names ${value}.`
  }
}

const messages: Readonly<Record<string, string>> = {
  nxdomain: "The name does not exist.",
  nodata: "The name has no record of this type."
}

/** Returns the result of the check of one record: `verified`, `failed` or, when DNS gave no definite answer, `temporary_failure`. */
export const checkDnsRecord = (record: DnsRecord, answer: DnsAnswer): DnsFinding => {
  const finding = (
    status: DnsFinding["status"],
    errorCode: string | null,
    errorMessage: string | null
  ): DnsFinding => ({
    recordId: record.id,
    status,
    errorCode,
    errorMessage
  })
  if (answer._tag === "Missing") {
    const message = messages[answer.code] ?? "The name servers did not answer."
    return finding(answer.definite ? "failed" : "temporary_failure", answer.code, `${record.name}: ${message}`)
  }
  const problem = problemOf(record, answer.values)
  return problem === undefined
    ? finding("verified", null, null)
    : finding("failed", "wrong_value", `${record.name}: ${problem}`)
}
