/**
 * Sends many messages through a real Postfix. Each delivery must arrive exactly once, with the content that was sent, for two parsers. Its DKIM
 * signature must pass with every verifier, and must fail after any change.
 */
import { Dispatcher, Sending, Transport } from "@mailkeep/core"
import { Effect } from "effect"
import { project } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import type { Collector } from "./peers/collector.ts"
import { byDelivery, messageIdOf, startCollector } from "./peers/collector.ts"
import type { DnsRecords } from "./peers/dkimVerifiers.ts"
import { parsedByPostalMime, parsedByPython } from "./peers/parsers.ts"
import type { Postfix } from "./peers/postfix.ts"
import { startPostfix } from "./peers/postfix.ts"
import type { SpooledMail } from "./peers/Spool.ts"
import { makePublishedDns } from "./publishedDns.ts"
import { allHandedOver, relayMail, verifySenderDomain } from "./relayMail.ts"
import type { SampleMail } from "./SampleMail.ts"
import { inputOf, sampleMail, senderDomain } from "./SampleMail.ts"
import { differences } from "./sampleVerdict.ts"
import { signatureFailures } from "./signatureVerdict.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

export interface ExactlyOnceOptions {
  readonly deliveries: number
  /** How many messages the DKIM verifiers get. */
  readonly signatures: number
  /** How many messages are changed in every way. */
  readonly tampered: number
  readonly seed: number
}

/** One accepted delivery, and the sample that it must look like. */
interface Expected {
  readonly deliveryId: string
  readonly recipient: string
  /** The `Message-ID`. The copies of one message have that of the first delivery. */
  readonly messageId: string
  readonly sample: SampleMail
}

const sendersAtOnce = 16

/** Sends samples until there are enough deliveries, and waits until the dispatcher has handed all over. */
const sendAll = ({ deliveries, seed }: ExactlyOnceOptions) =>
  Effect.gen(function* () {
    const sending = yield* Sending
    const dispatcher = yield* Dispatcher
    const { smtpUtf8 } = (yield* Transport).capabilities
    yield* Effect.forkScoped(dispatcher.run)
    const expected: Array<Expected> = []
    let number = 0
    const sender = Effect.gen(function* () {
      while (expected.length < deliveries) {
        const sample = sampleMail(seed, number++, { smtpUtf8 })
        const { headers } = sample
        const { deliveryIds } = yield* sending.send(project, inputOf(sample), { headers })
        const recipients = [...sample.to, ...sample.cc, ...sample.bcc]
        for (const [index, deliveryId] of deliveryIds.entries())
          expected.push({
            deliveryId,
            recipient: recipients[index]!,
            messageId: `<${sample.to.length > 1 ? deliveryId : deliveryIds[0]!}@${senderDomain}>`,
            sample
          })
      }
    })
    yield* Effect.all(
      Array.from({ length: sendersAtOnce }, () => sender),
      { concurrency: "unbounded" }
    )
    yield* allHandedOver
    return expected
  })

/** Compares what the collector has with what was accepted: each delivery once, and nothing else. */
const wrongCounts = (
  expected: ReadonlyArray<Expected>,
  received: ReadonlyMap<string, ReadonlyArray<SpooledMail>>
): ReadonlyArray<string> => {
  const accepted = new Set(expected.map(({ deliveryId }) => deliveryId))
  return [
    ...[...accepted].flatMap((id) => {
      const copies = received.get(id)?.length ?? 0
      return copies === 1 ? [] : [`${id} arrived ${copies} times`]
    }),
    ...[...received.keys()].filter((id) => !accepted.has(id)).map((id) => `${id} arrived, but was never accepted`)
  ]
}

/** Parses every message twice and compares it with its sample. */
const wrongContents = async (
  { spool }: Collector,
  pairs: ReadonlyArray<readonly [Expected, SpooledMail]>
): Promise<ReadonlyArray<string>> => {
  const python = await parsedByPython(
    spool,
    pairs.map(([, mail]) => mail)
  )
  const failures: Array<string> = []
  for (const [index, [{ sample, recipient }, mail]] of pairs.entries()) {
    const parsed = { Python: python[index]!, "postal-mime": await parsedByPostalMime(spool.raw(mail)) }
    for (const [parser, one] of Object.entries(parsed))
      failures.push(...differences(sample, recipient, one).map((what) => `message ${index}, ${parser}: ${what}`))
  }
  return failures
}

const verdict = async (
  options: ExactlyOnceOptions,
  collector: Collector,
  postfix: Postfix,
  expected: ReadonlyArray<Expected>,
  records: DnsRecords
): Promise<FaultRun> => {
  const failures: Array<string> = []
  if (!(await postfix.emptied())) failures.push(`Postfix still has ${postfix.queued()} messages`)
  const received = byDelivery(collector.spool)
  failures.push(...wrongCounts(expected, received))
  const pairs = expected.flatMap((one) => {
    const [mail] = received.get(one.deliveryId) ?? []
    return mail === undefined ? [] : [[one, mail] as const]
  })
  for (const [{ deliveryId, messageId }, mail] of pairs) {
    const found = messageIdOf(collector.spool, mail)
    if (found !== messageId) failures.push(`${deliveryId} has the Message-ID ${found} instead of ${messageId}`)
  }
  failures.push(...(await wrongContents(collector, pairs)))
  const signatures = await signatureFailures(
    collector.spool,
    pairs.map(([, mail]) => mail),
    { ...options, records }
  )
  failures.push(...signatures.failures)
  return {
    counts: {
      "deliveries accepted": expected.length,
      "messages received": collector.spool.mails().length,
      "messages parsed back by two parsers": pairs.length,
      ...signatures.counts
    },
    failures
  }
}

export const exactlyOnce = async (options: ExactlyOnceOptions): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-relay-")
  try {
    await using collector = await startCollector(folder)
    await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort: collector.port })
    const dns = makePublishedDns()
    const begun = performance.now()
    const expected = await Effect.andThen(verifySenderDomain(dns, senderDomain), sendAll(options)).pipe(
      Effect.scoped,
      Effect.provide(relayMail(folder, postfix.relayPort, dns)),
      Effect.runPromise
    )
    const seconds = (performance.now() - begun) / 1000
    const run = await verdict(options, collector, postfix, expected, dns.texts())
    const rate = `${Math.round(expected.length / seconds)} deliveries a second, from the send to the relay's answer`
    return { ...run, report: [rate, `seed ${options.seed}`] }
  } finally {
    removeFolder(folder)
  }
}
