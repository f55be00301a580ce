/**
 * Tries to inject header fields, recipients, commands and messages through every field of a send. Whatever the core accepts goes through a real
 * Postfix, which takes lax line ends as the end of a message, and is read back by two parsers.
 */
import { once } from "node:events"
import { connect } from "node:net"
import type { DeliveryStatus, InvalidArgument, StoreUnavailable } from "@mailkeep/core"
import { DeliveryLog, Dispatcher } from "@mailkeep/core"
import { Effect } from "effect"
import { project } from "../../embeddedMail.ts"
import type { FaultRun } from "../../FaultRun.ts"
import type { Collector } from "../peers/collector.ts"
import { byDelivery, startCollector } from "../peers/collector.ts"
import { parsedByPostalMime, parsedByPython } from "../peers/parsers.ts"
import type { Postfix } from "../peers/postfix.ts"
import { startPostfix } from "../peers/postfix.ts"
import { makePublishedDns } from "../publishedDns.ts"
import { allHandedOver, relayMail, verifySenderDomain } from "../relayMail.ts"
import { senderDomain } from "../SampleMail.ts"
import type { InjectionCase } from "./cases.ts"
import { injectionCases } from "./cases.ts"
import type { Entry } from "./entries.ts"
import { httpEntry, programEntry, submissionEntry } from "./entries.ts"
import type { AcceptedDelivery } from "./injectionVerdict.ts"
import { hasEvilField, injections, untestedFields } from "./injectionVerdict.ts"
import { control, evilDomain } from "./payloads.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

const atOnce = 16

/** Sends all cases through one entry. Returns the deliveries of the accepted sends. */
const tryAll = (entry: string, send: Entry, cases: ReadonlyArray<InjectionCase>) =>
  Effect.gen(function* () {
    const log = yield* DeliveryLog
    const accepted = yield* Effect.forEach(
      cases,
      Effect.fnUntraced(function* (one): Effect.fn.Return<
        ReadonlyArray<AcceptedDelivery>,
        InvalidArgument | StoreUnavailable
      > {
        const messageId = yield* send(one)
        if (messageId === undefined) return []
        const { items } = yield* log.list(project, { search: messageId, limit: 50 })
        return items.map(({ id, recipient }) => ({ case: one, entry, deliveryId: id, recipient }))
      }),
      { concurrency: atOnce }
    )
    return accepted.flat()
  })

interface HandedOver extends AcceptedDelivery {
  readonly status: DeliveryStatus
}

const sendAll = (cases: ReadonlyArray<InjectionCase>) =>
  Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    yield* Effect.forkScoped(dispatcher.run)
    const accepted = [
      ...(yield* tryAll("program", yield* programEntry, cases)),
      ...(yield* tryAll("HTTP", yield* httpEntry, cases)),
      ...(yield* tryAll("submission", yield* submissionEntry, cases))
    ]
    yield* allHandedOver
    const log = yield* DeliveryLog
    // The transport may refuse what the core accepts. Such a delivery has failed, and must not arrive.
    const details = yield* Effect.forEach(accepted, ({ deliveryId }) => log.get(project, deliveryId))
    return accepted.map((one, n): HandedOver => ({ ...one, status: details[n]!.status }))
  })

const isAtRelay = ({ status }: HandedOver): boolean => status === "accepted"

/** Sends a message that has another one after a line feed, a full stop and a line feed. Postfix must make two of it. */
const smuggle = async (port: number): Promise<void> => {
  const socket = connect(port, "127.0.0.1")
  const commands = ["EHLO control.test", "MAIL FROM:<a@control.test>", "RCPT TO:<first@control.test>", "DATA"]
  const smuggled = ["MAIL FROM:<a@control.test>", "RCPT TO:<second@control.test>", "DATA", "Subject: second", ""]
  for (const command of commands) {
    await once(socket, "data")
    socket.write(`${command}\r\n`)
  }
  await once(socket, "data")
  socket.write(`Subject: first\r\n\r\nbody\n.\n${smuggled.join("\r\n")}\r\n.\r\nQUIT\r\n`)
  socket.resume()
  await once(socket, "close")
}

/** Lines in Postfix's log that a client causes only with an injected command or address. */
const suspiciousLines = (log: string): ReadonlyArray<string> =>
  log
    .split("\n")
    .filter((line) => /smtpd\[.*(?:non-SMTP command|improper command|Illegal address|unknown=)/i.test(line))

const verdict = async (
  accepted: ReadonlyArray<HandedOver>,
  { spool, strayCommands }: Collector,
  postfix: Postfix
): Promise<ReadonlyArray<string>> => {
  const received = byDelivery(spool)
  const pairs = accepted.flatMap((one) => (received.get(one.deliveryId) ?? []).map((mail) => [one, mail] as const))
  const failures: Array<string> = []
  for (const one of accepted) {
    const copies = received.get(one.deliveryId)?.length ?? 0
    if (copies !== (isAtRelay(one) ? 1 : 0))
      failures.push(
        `${one.entry}, ${one.case.field}, ${one.case.payload.name}: is ${one.status}, arrived ${copies} times`
      )
  }
  if (spool.mails().length !== pairs.length)
    failures.push(`${spool.mails().length - pairs.length} unknown messages arrived`)
  const python = await parsedByPython(
    spool,
    pairs.map(([, mail]) => mail)
  )
  for (const [index, [one, mail]] of pairs.entries()) {
    const raw = spool.raw(mail)
    const parsed = { Python: python[index]!, "postal-mime": await parsedByPostalMime(raw) }
    failures.push(...injections(one, mail, parsed))
    if (hasEvilField(raw)) failures.push(`${one.entry}, ${one.case.field}, ${one.case.payload.name}: an injected field`)
  }
  failures.push(...untestedFields(accepted))
  failures.push(...strayCommands().map((line) => `the collector got the command ${JSON.stringify(line)}`))
  failures.push(...suspiciousLines(postfix.log()))
  if (new RegExp(`to=<[^>]*@${evilDomain}>`).test(postfix.log())) failures.push(`Postfix has mail to ${evilDomain}`)
  return failures
}

export const injectionRun = async ({ stride }: { readonly stride: number }): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-relay-")
  const cases = injectionCases.filter(({ payload }, index) => payload === control || index % stride === 0)
  try {
    await using collector = await startCollector(folder)
    await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort: collector.port })
    const dns = makePublishedDns()
    const accepted = await Effect.andThen(verifySenderDomain(dns, senderDomain), sendAll(cases)).pipe(
      Effect.scoped,
      Effect.provide(relayMail(folder, postfix.relayPort, dns)),
      Effect.runPromise
    )
    const isEmpty = await postfix.emptied()
    const failures = [...(await verdict(accepted, collector, postfix))]
    if (!isEmpty) failures.push(`Postfix still has ${postfix.queued()} messages`)
    const before = collector.spool.mails().length
    await smuggle(postfix.relayPort)
    if (!(await collector.waitFor(before + 2, 10_000)))
      failures.push("The relay did not take the message of the control as two, so it cannot show a smuggled message.")
    return {
      counts: {
        "sends with a payload in one field, by program, HTTP and SMTP": cases.length * 3,
        "deliveries of the accepted sends, each read back by two parsers": accepted.filter(isAtRelay).length,
        "deliveries that the transport refused": accepted.filter((one) => !isAtRelay(one)).length,
        "injections that got through": failures.length
      },
      failures
    }
  } finally {
    removeFolder(folder)
  }
}
