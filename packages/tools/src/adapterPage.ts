/**
 * The adapter matrix: the capabilities that each adapter declares and its verdict for every law. Runs the conformance kit on each adapter, or takes
 * the verdicts from the tests of the adapter, which have the names of this page.
 */
import type { LawBook, Report } from "@mailkeep/conformance"
import {
  counted,
  limiterLaws,
  resolverLaws,
  runConformance,
  sinkLaws,
  storeLaws,
  transportLaws
} from "@mailkeep/conformance"
import { MailCore, RateLimiter } from "@mailkeep/core"
import { MemoryMailStore } from "@mailkeep/memory"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Layer } from "effect"
import * as MapStore from "../../conformance/test/example/MapStore.ts"
import { place as journalPlace } from "../../conformance/test/example/storeUnderTest.ts"
import { promiseResolver, promiseSink, promiseTransport } from "../../conformance/test/promiseAdapters.ts"
import { nodeResolver } from "../../core/test/node/nodeDnsUnderTest.ts"
import { stubWithRelay } from "../../smtp/test/stubWithRelay.ts"
import { sharedLimiter } from "../../postgres/test/limiterUnderTest.ts"
import { place as postgresPlace } from "../../postgres/test/storeUnderTest.ts"
import { place as sqlitePlace } from "../../sqlite/test/storeUnderTest.ts"
import { sink as webhookSink } from "../../webhooks/test/subscriberHarness.ts"
import { testedVerdict } from "./lastTestRun.ts"
import { generatedNotice, table } from "./markdown.ts"
import type { ReportedTest, TestReport } from "./testReport.ts"

/** A small number of random scripts. The tests of each adapter run more. */
const few = { runs: 20, seed: 1 }

const stores = {
  memory: { place: MemoryMailStore.layer, ...few },
  "memory behind the checked store": { place: Layer.provide(MailCore.checkedStore, MemoryMailStore.layer), ...few },
  "the guide's Map": { place: MapStore.layer, ...few },
  "the guide's journal": { place: journalPlace, ...few },
  sqlite: { place: sqlitePlace, ...few },
  postgres: { place: postgresPlace, ...few }
}

const transports = {
  "the stub as the recipient's own server": { transport: stubWithRelay() },
  "the stub as a relay that drops duplicates": {
    transport: stubWithRelay({ confirmsDelivery: false, idempotentHandOff: true })
  },
  "the stub as a relay that cannot signal finalizing": {
    transport: stubWithRelay({ confirmsDelivery: false, signalsFinalize: false })
  },
  "a transport of plain async functions": { transport: promiseTransport }
}

const sinks = {
  "the webhook sink": { sink: webhookSink },
  "an event sink of plain async functions": { sink: promiseSink }
}

const limiters = {
  "the limiter in the process": { limiter: Effect.succeed(RateLimiter.layerInProcess), shared: false },
  "the limiter of postgres": sharedLimiter
}

const resolvers = {
  "the DNS resolver of Node": nodeResolver,
  "a DNS resolver of plain async functions": promiseResolver
}

/** What each capability means, and the effect of its absence. */
const meanings: Readonly<Record<string, readonly [means: string, without: string]>> = {
  durable: [
    "Acknowledged commits survive a kill of the process and a power cut",
    "Use the store for tests, or where data may be lost"
  ],
  multiProcess: [
    "Several processes may share the store",
    "Only one process uses the store; the command cannot run at the same time"
  ],
  joinsTransactions: [
    "Has `joinTransaction`, so that a send commits or rolls back with a transaction of the product",
    "A product uses the outbox"
  ],
  confirmsDelivery: ["A positive reply means delivered", "Deliveries stay `accepted` until a report arrives"],
  signalsFinalize: [
    "Runs the `finalizing` commit after the body and before the end of data",
    "`finalizing` is committed before the hand-off begins, so more attempts are ambiguous after a crash"
  ],
  idempotentHandOff: [
    "The relay drops a second hand-off with the same Message-ID to the same recipient",
    "An ambiguous attempt is retried after 10 minutes or fails, by the policy of the project or send"
  ],
  maxMessageBytes: [
    "The maximum message size in bytes; `null` when no limit is known",
    "The relay refuses a larger message during the hand-off"
  ],
  smtpUtf8: ["Takes mailboxes that are not ASCII", "Sends to such mailboxes are refused at acceptance"],
  carriesHeaders: ["A subscriber receives the headers and the body", "The subscriber cannot verify a signature"],
  shared: ["Several processes keep one limit together", "Each process grants the whole limit"],
  excessPart: ["The part of a shared limit that each process can allow more", "Shared limits are exact"]
}

/** Checks each adapter against all laws. With the tests of the last run, checks only its first law, and takes the verdicts from the tests. */
const reportAll = <S, R>(
  book: LawBook<S, R>,
  subjects: Readonly<Record<string, S>>,
  tests: ReadonlyArray<ReportedTest> | undefined
): Promise<ReadonlyArray<Report>> =>
  Effect.runPromise(
    Effect.forEach(Object.entries(subjects), ([name, subject]) => {
      if (tests === undefined) return runConformance(name, book, subject)
      return Effect.map(runConformance(name, book, subject, { only: [book.laws[0]!.id] }), (report) => ({
        ...report,
        laws: book.laws.map(({ id, statement, why }) => ({
          id,
          statement,
          why,
          verdict: testedVerdict(tests, name, book.port, id),
          detail: null
        }))
      }))
    })
  )

const marks: Readonly<Record<string, string>> = { held: "✓", "not applicable": "–" }

const section = <S, R>(title: string, book: LawBook<S, R>, reports: ReadonlyArray<Report>): string => {
  const names = reports.map(({ adapter }) => adapter)
  const capabilities = book.capabilities.map((name) => [
    `\`${name}\``,
    ...meanings[name]!,
    ...reports.map((report) => `\`${JSON.stringify(report.capabilities[name])}\``)
  ])
  const laws = book.laws.map(({ id, statement }, n) => [
    `\`${id}\``,
    statement,
    ...reports.map((report) => marks[report.laws[n]!.verdict] ?? `**${report.laws[n]!.verdict}**`)
  ])
  const sums = reports.map((report) => {
    const { held: passed, "not applicable": notApplicable } = counted(report)
    return notApplicable === 0 ? `${passed}` : `${passed}, ${notApplicable} –`
  })
  return [
    `## ${title}`,
    ...(capabilities.length === 0 ? [] : [table(["Capability", "With it", "Without it", ...names], capabilities)]),
    table(["Law", "Statement", ...names], [...laws, ["", "**passed**", ...sums]])
  ].join("\n\n")
}

/** Returns `undefined` on a machine without PostgreSQL, which cannot run the laws of that store. */
export const adapterPage = async (testRun?: TestReport): Promise<string | undefined> => {
  if (!hasPostgres()) return undefined
  const tests = testRun && Object.values(testRun).flatMap((file) => file.tests)
  const [storeReports, transportReports, sinkReports, limiterReports, resolverReports] = [
    await reportAll(storeLaws, stores, tests),
    await reportAll(transportLaws, transports, tests),
    await reportAll(sinkLaws, sinks, tests),
    await reportAll(limiterLaws, limiters, tests),
    await reportAll(resolverLaws, resolvers, tests)
  ]
  const books = [storeLaws, transportLaws, sinkLaws, limiterLaws, resolverLaws]
  const laws = books.reduce((sum, book) => sum + book.laws.length, 0)
  return `${generatedNotice("the conformance run of every adapter")}
# Adapter matrix: capabilities and laws

${laws} laws. ✓: the adapter passes the law. –: the law does not apply to the capabilities of the adapter. For each law, the tests of the kit
have a faulty adapter that the law detects.

${section("Stores", storeLaws, storeReports)}

${section("Transports", transportLaws, transportReports)}

${section("Event sinks", sinkLaws, sinkReports)}

${section("Rate limiters", limiterLaws, limiterReports)}

${section("DNS resolvers", resolverLaws, resolverReports)}
`
}
