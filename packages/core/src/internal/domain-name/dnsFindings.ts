/**
 * Queries DNS for the records of a domain, and checks the answers.
 */
import { Duration, Effect, Option } from "effect"
import type { DnsAnswer } from "../../decide/domain-name/checkDnsRecord.ts"
import { checkDnsRecord } from "../../decide/domain-name/checkDnsRecord.ts"
import type { DnsFinding } from "../../decide/domain-name/checkDomain.ts"
import type { DnsRecord } from "../../domain/domain-name/SenderDomain.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import type { DnsResolverShape } from "../../port/DnsResolver.ts"

/** The longest that one query may take. Few checks run at once, so that a resolver that never answers would stop all of them. */
const queryMillisMax = minuteMillis

const timedOut: DnsAnswer = { _tag: "Missing", definite: false, code: "timeout" }

/** Queries DNS for the name of a record. The resolver follows aliases. */
const answerOf = (dns: DnsResolverShape | null, { type, name }: DnsRecord): Effect.Effect<DnsAnswer> => {
  if (dns === null) return Effect.succeed({ _tag: "Missing", definite: false, code: "unreachable" })
  const values =
    type === "TXT" ? dns.texts(name) : Effect.map(dns.exchanges(name), (found) => found.map(({ exchange }) => exchange))
  return Effect.match(values, {
    onSuccess: (values): DnsAnswer => ({ _tag: "Found", values }),
    onFailure: ({ definite, code }): DnsAnswer => ({ _tag: "Missing", definite, code })
  }).pipe(Effect.timeoutOption(Duration.millis(queryMillisMax)), Effect.map(Option.getOrElse(() => timedOut)))
}

/** Checks every record of a domain at the same time. Without a resolver, each check fails temporarily. */
export const findingsOf = (
  dns: DnsResolverShape | null,
  records: ReadonlyArray<DnsRecord>
): Effect.Effect<ReadonlyArray<DnsFinding>> =>
  Effect.forEach(records, (record) => Effect.map(answerOf(dns, record), (answer) => checkDnsRecord(record, answer)), {
    concurrency: "unbounded"
  })
