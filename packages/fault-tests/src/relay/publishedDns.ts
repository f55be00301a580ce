/**
 * The DNS of the tests: it has exactly the records that were published. The core asks it through its port, and the DKIM verifiers get the same
 * text records.
 */
import type { DnsRecord } from "@mailkeep/core"
import { DnsResolver } from "@mailkeep/core"
import { DnsFailure } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { DnsRecords } from "./peers/dkimVerifiers.ts"

export interface PublishedDns {
  readonly publish: (records: ReadonlyArray<DnsRecord>) => void
  /** The text records by name. */
  readonly texts: () => DnsRecords
  readonly layer: Layer.Layer<DnsResolver>
}

export const makePublishedDns = (): PublishedDns => {
  const published = new Map<string, DnsRecord>()
  const answers = (name: string, type: DnsRecord["type"]) =>
    Effect.suspend(() => {
      const record = published.get(`${type} ${name}`)
      return record === undefined
        ? Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" }))
        : Effect.succeed(record)
    })
  return {
    publish: (records) => {
      for (const record of records) published.set(`${record.type} ${record.name}`, record)
    },
    texts: () =>
      Object.fromEntries(
        [...published.values()].flatMap(({ type, name, value }) => (type === "TXT" ? [[name, value]] : []))
      ),
    layer: Layer.succeed(DnsResolver, {
      texts: (name) => Effect.map(answers(name, "TXT"), ({ value }) => [value]),
      exchanges: (name) =>
        Effect.map(answers(name, "MX"), ({ value, priority }) => [{ exchange: value, priority: priority ?? 0 }])
    })
  }
}
