/**
 * The matrix of adapters: what each declares, and its verdict for every law. The adapters are really judged.
 */
import type { LawBook, Report } from "@mailkeep/conformance"
import { counted, judge, sinkLaws, storeLaws, transportLaws } from "@mailkeep/conformance"
import { MailCore } from "@mailkeep/core"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import * as MapStore from "../../conformance/test/example/MapStore.ts"
import { place as journalPlace } from "../../conformance/test/example/place.ts"
import { promiseSinkBench, promiseTransportBench } from "../../conformance/test/promiseBench.ts"
import { stubBench } from "../../smtp/test/stubBench.ts"
import { place as sqlitePlace } from "../../sqlite/test/place.ts"
import { bench as webhookBench } from "../../webhooks/test/consumerBench.ts"
import { generatedNotice, table } from "./markdown.ts"

/** A few scripts suffice here; the adapters' own tests run more. */
const few = { runs: 20, seed: 1 }

const stores = {
  memory: { place: MemoryMailStore.layer, ...few },
  "memory behind the core's gate": { place: Layer.provide(MailCore.storeGate, MemoryMailStore.layer), ...few },
  "the guide's Map, by Promises": { place: MapStore.layer, ...few },
  "the guide's journal, by Promises": { place: journalPlace, ...few },
  sqlite: { place: sqlitePlace, ...few }
}

const transports = {
  "stub, as the recipient's own server": { bench: stubBench() },
  "stub, as a relay that drops doubles": { bench: stubBench({ confirmsDelivery: false, idempotentHandoff: true }) },
  "stub, without a mark": { bench: stubBench({ confirmsDelivery: false, marksFinalDot: false }) },
  "a function, by Promises": { bench: promiseTransportBench }
}

const sinks = { webhooks: { bench: webhookBench }, "a function, by Promises": { bench: promiseSinkBench } }

/** What each capability means, and what is given up without it. */
const meanings: Readonly<Record<string, readonly [means: string, without: string]>> = {
  durable: ["What was acknowledged outlives the process and the power", "For tests, or a store that may forget"],
  multiProcess: [
    "Several processes may share the store",
    "One process sends, and the command cannot be used beside it"
  ],
  confirmsDelivery: ["A positive reply means delivered", "Deliveries stay `accepted` until a report comes"],
  marksFinalDot: [
    "Commits phase `dot` after the body and before the final dot",
    "It is committed before the hand-off begins, so that more outcomes are uncertain after a crash"
  ],
  idempotentHandoff: [
    "A second hand-off of one Message-ID is dropped",
    "An uncertain outcome is tried again after 10 minutes, or given up, as the project says"
  ],
  maxMessageBytes: [
    "The largest message it takes, in octets; `null` when it knows no bound",
    "A larger one is refused by the relay instead of before"
  ],
  smtpUtf8: ["Takes mailboxes that are not ASCII", "Sends to such mailboxes are refused at acceptance"],
  carriesHeaders: ["A consumer gets the headers beside the body", "It cannot verify a signature"]
}

const judgedAll = <S, R>(book: LawBook<S, R>, subjects: Readonly<Record<string, S>>) =>
  Effect.runPromise(Effect.forEach(Object.entries(subjects), ([name, subject]) => judge(name, book, subject)))

const marks: Readonly<Record<string, string>> = { held: "✓", "not applicable": "–" }

const section = <S, R>(title: string, book: LawBook<S, R>, reports: ReadonlyArray<Report>): string => {
  const names = reports.map(({ adapter }) => adapter)
  const capabilities = book.capabilities.map((name) => [
    `\`${name}\``,
    ...meanings[name]!,
    ...reports.map((report) => `\`${JSON.stringify(report.capabilities[name])}\``)
  ])
  const laws = book.laws.map(({ id, says }, n) => [
    `\`${id}\``,
    says,
    ...reports.map((report) => marks[report.laws[n]!.verdict] ?? `**${report.laws[n]!.verdict}**`)
  ])
  const sums = reports.map((report) => {
    const { held, "not applicable": rest } = counted(report)
    return rest === 0 ? `${held}` : `${held}, ${rest} –`
  })
  return [
    `## ${title}`,
    table(["Capability", "With it", "Without it", ...names], capabilities),
    table(["Law", "Says", ...names], [...laws, ["", "**held**", ...sums]])
  ].join("\n\n")
}

export const adapterPage = async (): Promise<string> => {
  const [storeReports, transportReports, sinkReports] = [
    await judgedAll(storeLaws, stores),
    await judgedAll(transportLaws, transports),
    await judgedAll(sinkLaws, sinks)
  ]
  const laws = storeLaws.laws.length + transportLaws.laws.length + sinkLaws.laws.length
  return `${generatedNotice("packages/conformance, by judging every adapter,")}
# Adapters, what they declare and what they hold

${laws} laws. ✓ is held; – does not apply, by the adapter's own capabilities. Each law has a mutant in the kit's own tests that it catches.

${section("Stores", storeLaws, storeReports)}

${section("Transports", transportLaws, transportReports)}

${section("Event sinks", sinkLaws, sinkReports)}
`
}
