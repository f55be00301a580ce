/**
 * Sends mail that a real Postfix accepts and then bounces. Its reports reach the bounce listener over SMTP. Then status, reason, event and
 * suppression of each delivery must be right. Repeated and forged reports must change nothing.
 */
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { DeliveryLog, Dispatcher, Sending, Suppressions } from "@mailkeep/core"
import { BounceListener } from "@mailkeep/inbound"
import { Effect, Layer } from "effect"
import { filesIn, project } from "../../embeddedMail.ts"
import type { FaultRun } from "../../FaultRun.ts"
import { brokenInvariants } from "../../fileInvariants.ts"
import type { Collector } from "../peers/collector.ts"
import { startCollector } from "../peers/collector.ts"
import type { Postfix } from "../peers/postfix.ts"
import { freePort } from "@mailkeep/test-support/freePort"
import { startPostfix } from "../peers/postfix.ts"
import { sendRaw } from "../peers/rawClient.ts"
import { startTee } from "../peers/tee.ts"
import { makePublishedDns } from "../publishedDns.ts"
import { allHandedOver, relayMail, verifySenderDomain } from "../relayMail.ts"
import { senderDomain } from "../SampleMail.ts"
import type { ShownDelivery } from "./bounceVerdict.ts"
import { wrongBounce } from "./bounceVerdict.ts"
import type { ExpectedBounce } from "./expectedBounces.ts"
import { expectedBounces } from "./expectedBounces.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

const sendsPerProblem = 5

interface SentDelivery {
  readonly deliveryId: string
  readonly recipient: string
  readonly expected: ExpectedBounce
}

const sendAll = Effect.gen(function* () {
  const sending = yield* Sending
  const cases = expectedBounces.flatMap((expected) =>
    Array.from({ length: sendsPerProblem }, (_, number) => ({ expected, recipient: expected.recipient(number) }))
  )
  return yield* Effect.forEach(cases, ({ expected, recipient }) => {
    const input = { from: `Shop <shop@${senderDomain}>`, to: recipient, subject: "Your order", text: "Thank you." }
    return Effect.map(sending.send(project, input), ({ deliveryIds }): SentDelivery => {
      return { deliveryId: deliveryIds[0]!, recipient, expected }
    })
  })
})

/** Sends to one recipient of each kind again. The core must hand over exactly the mail for the addresses that are not suppressed. */
const wronglySentAgain = Effect.gen(function* () {
  const sending = yield* Sending
  const log = yield* DeliveryLog
  const wrong = yield* Effect.forEach(expectedBounces, ({ recipient, suppression, problem }) =>
    Effect.gen(function* () {
      const input = { from: `shop@${senderDomain}`, to: recipient(0), subject: "Another order", text: "Thank you." }
      const { deliveryIds } = yield* sending.send(project, input)
      const { status } = yield* log.get(project, deliveryIds[0]!)
      const isSuppressed = status === "suppressed"
      return isSuppressed === (suppression !== null) ? [] : [`the next send is ${status} after: ${problem}`]
    })
  )
  return wrong.flat()
})

const eventsMax = 1000

const shownOf = Effect.fnUntraced(function* (sent: ReadonlyArray<SentDelivery>) {
  const log = yield* DeliveryLog
  const events = yield* log.listEvents(project, { limit: eventsMax })
  const { items } = yield* (yield* Suppressions).list(project, { limit: 100 })
  const suppressions = new Map(items.map(({ email, reason }) => [email, reason]))
  return yield* Effect.forEach(sent, ({ deliveryId, recipient }) =>
    Effect.map(log.get(project, deliveryId), ({ status, reason, bounceType }): ShownDelivery => ({
      recipient,
      status,
      reason,
      bounceType,
      suppression: suppressions.get(recipient) ?? null,
      events: events
        .filter(({ data }) => "deliveryId" in data && data.deliveryId === deliveryId)
        .map((event) => ({
          kind: event.kind,
          enhancedCode: event.kind === "email.bounced" ? event.data.bounce.enhancedCode : null
        }))
    }))
  )
})

/** Sends every report of Postfix again: unchanged, with a changed signature, and to the return path without one. */
const repeatReports = async (port: number, { spool }: Collector): Promise<Readonly<Record<string, number>>> => {
  const replies = { repeated: 0, "forged and refused": 0, "forged and taken": 0 }
  for (const mail of spool.mails()) {
    const [to = ""] = mail.to
    const raw = spool.raw(mail)
    if ((await sendRaw(port, { from: "", to: [to], raw })).startsWith("250")) replies.repeated++
    const forgeries = [
      to.replace(/\.(.)/, (_, first: string) => `.${first === "0" ? "1" : "0"}`),
      to.replace(/\.[0-9a-f]+@/, "@"),
      to.replace(/^b\+(.)/, (_, first: string) => `b+${first === "0" ? "1" : "0"}`)
    ]
    for (const forged of forgeries) {
      const reply = await sendRaw(port, { from: "", to: [forged], raw })
      replies[reply.startsWith("5") ? "forged and refused" : "forged and taken"]++
    }
  }
  return replies
}

const run = (port: number, collector: Collector, postfix: Postfix) =>
  Effect.gen(function* () {
    yield* Effect.forkScoped((yield* Dispatcher).run)
    const sent = yield* sendAll
    yield* allHandedOver
    const isEmpty = yield* Effect.promise(() => postfix.emptied())
    const shown = yield* shownOf(sent)
    const failures = shown.flatMap((one, n) => wrongBounce(sent[n]!.expected, one))
    if (!isEmpty) failures.push(`Postfix still has ${postfix.queued()} messages`)
    const reports = collector.spool.mails().length
    const bouncing = sent.filter(({ expected }) => expected.status === "bounced").length
    if (reports !== bouncing) failures.push(`Postfix sent ${reports} reports about ${bouncing} deliveries`)
    const replies = yield* Effect.promise(() => repeatReports(port, collector))
    if (replies["repeated"] !== reports) failures.push("the listener did not take each repeated report")
    if (replies["forged and taken"] !== 0)
      failures.push(`the listener took ${replies["forged and taken"]} forged reports`)
    const after = yield* shownOf(sent)
    if (!isDeepStrictEqual(after, shown)) failures.push("repeated or forged reports changed a delivery")
    failures.push(...(yield* wronglySentAgain))
    const counts = {
      "deliveries, with 7 kinds of results": sent.length,
      "reports that Postfix sent to the bounce listener": reports,
      "reports sent again, unchanged": replies["repeated"] ?? 0,
      "forged reports, each refused": replies["forged and refused"] ?? 0
    }
    return { counts, failures }
  })

export const bounceRun = async (): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-relay-")
  const { store } = filesIn(folder)
  try {
    await using collector = await startCollector(mkdtempSync(join(folder, "mail-")))
    await using copies = await startCollector(mkdtempSync(join(folder, "reports-")))
    const port = await freePort()
    await using tee = await startTee(port, copies.port)
    await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort: tee.port })
    const dns = makePublishedDns()
    const mail = relayMail(folder, postfix.relayPort, dns)
    const result = await Effect.andThen(verifySenderDomain(dns, senderDomain), run(port, copies, postfix)).pipe(
      Effect.scoped,
      Effect.provide(BounceListener.layer({ port }).pipe(Layer.provideMerge(mail))),
      Effect.runPromise
    )
    return { ...result, failures: [...result.failures, ...brokenInvariants(store)] }
  } finally {
    removeFolder(folder)
  }
}
