/**
 * A product under load, which the kill loop kills. It sends, schedules, cancels, replays, writes contacts and dispatches concurrently.
 */
import type { ContactId } from "@mailkeep/core/adapter"
import type { Contact, OnAmbiguous, SendInput } from "@mailkeep/core"
import {
  ContactEmailTaken,
  Contacts,
  Dispatcher,
  Domains,
  formatInstant,
  InvalidArgument,
  Projects,
  Sending,
  StoreUnavailable
} from "@mailkeep/core"
import { Clock, Effect, Layer, Result, Schedule } from "effect"
import { clockFrom } from "../clockFrom.ts"
import { embeddedMailOver, fileStore, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import { appender } from "../Lines.ts"
import { frequentRelayFaults, recordingTransport } from "../RecordingTransport.ts"
import { makePublishedDns } from "../relay/publishedDns.ts"
import { verifySenderDomain } from "../relay/relayMail.ts"
import { relayTransport } from "../relay/relayTransport.ts"
import type { WorkerReport } from "../workerReports.ts"

export interface WorkerOptions {
  readonly folder: string
  /** Start time of its clock. */
  readonly startAt: number
  /** Prefix of its idempotency keys and recipients. */
  readonly name: string
  readonly callers: number
  /** The SMTP relay to use; `null`: the transport that records. */
  readonly relay: WorkerRelay | null
  /** The URL of a database of PostgreSQL; `null`: the SQLite file of the folder. */
  readonly database: string | null
  /** The URL of the same database without a pooler. By default, `database` has none. */
  readonly listen?: string
}

/** An SMTP relay, and what follows an attempt that may have delivered the message. */
export interface WorkerRelay {
  readonly port: number
  readonly onAmbiguous: OnAmbiguous
}

const { folder, startAt, name, callers, relay, database, listen } = JSON.parse(process.argv[2]!) as WorkerOptions
const report: (line: WorkerReport) => void = appender(filesIn(folder).reports)

const dns = makePublishedDns()

const chance = (percent: number) => Math.random() * 100 < percent

/**
 * A server that restarts fails the calls meanwhile, which may have been applied. A caller repeats such a call until it is answered. A file never
 * fails a call in these runs.
 */
const untilAnswered = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  database === null
    ? call
    : Effect.retry(call, {
        while: (failure) => failure instanceof StoreUnavailable,
        schedule: Schedule.spaced("50 millis")
      })

interface Sent {
  readonly key: string
  readonly body: SendInput
  readonly messageId: string
}

const sendOne = Effect.fnUntraced(function* (key: string, body: SendInput) {
  report({ kind: "trySend", key, body })
  const { messageId, deliveryIds } = yield* untilAnswered(send(key, body))
  report({ kind: "sent", key, messageId, deliveryIds })
  return { key, body, messageId } satisfies Sent
})

/** A server was away for so long that the scheduled time of a send has passed. The send was never accepted. */
const unlessTooLate = <E, R>(accepted: Effect.Effect<Sent, E, R>) =>
  Effect.catchIf(
    Effect.map(accepted, (one): ReadonlyArray<Sent> => [one]),
    (failure) => failure instanceof InvalidArgument,
    () => Effect.succeed([])
  )

const bodyNow = Effect.fnUntraced(function* (unique: string) {
  const to = chance(30) ? [`${unique}a@example.org`, `${unique}b@example.org`] : `${unique}@example.org`
  if (!chance(30)) return sendBody({ to })
  const now = yield* Clock.currentTimeMillis
  return sendBody({ to, scheduledAt: formatInstant(now + 100 + Math.floor(Math.random() * 900)) })
})

const replay = Effect.fnUntraced(function* ({ key, body, messageId }: Sent) {
  const again = yield* untilAnswered(send(key, body))
  if (!again.replayed || again.messageId !== messageId)
    report({ kind: "problem", message: `${key} did not get its first answer again` })
})

/** Cancels a message. The core refuses it when it is too late. */
const cancel = Effect.fnUntraced(function* ({ messageId }: Sent) {
  const canceled = yield* Effect.result(
    untilAnswered(Effect.flatMap(Sending, (sending) => sending.cancel(project, messageId)))
  )
  if (Result.isSuccess(canceled)) report({ kind: "canceled", messageId })
})

/** A repeated call finds the contact of the call without an answer. */
const orExisting = <E>(contacts: Contacts["Service"], email: string, created: Effect.Effect<Contact, E>) =>
  Effect.catchIf(
    created,
    (failure) => failure instanceof ContactEmailTaken,
    () => Effect.map(contacts.findByEmail(project, email), (existing) => existing!)
  )

const createContact = Effect.fnUntraced(function* (email: string) {
  report({ kind: "tryContact", email })
  const contacts = yield* Contacts
  const created = contacts.create(project, { email, firstName: "first" })
  const contact = yield* database === null ? created : untilAnswered(orExisting(contacts, email, created))
  report({ kind: "contact", id: contact.id, email, firstName: contact.firstName, emailStatus: contact.emailStatus })
  return { id: contact.id, email }
})

const updateContact = Effect.fnUntraced(function* (
  { id, email }: { readonly id: ContactId; readonly email: string },
  n: number
) {
  report({ kind: "tryContact", email })
  const emailStatus = chance(50) ? "unsubscribed" : "subscribed"
  const request = { email, firstName: `n${n}`, emailStatus } as const
  const contact = yield* untilAnswered(Effect.flatMap(Contacts, (contacts) => contacts.update(project, id, request)))
  report({ kind: "contact", id, email, firstName: contact.firstName, emailStatus: contact.emailStatus })
})

const caller = Effect.fnUntraced(function* (callerIndex: number) {
  const sent: Array<Sent> = []
  const contact = yield* createContact(`${name}c${callerIndex}@example.org`)
  for (let n = 0; ; n++) {
    const percentage = Math.random() * 100
    const one = sent[Math.floor(Math.random() * sent.length)]
    if (percentage < 70 || one === undefined) {
      const accepted = sendOne(`${name}-${callerIndex}-${n}`, yield* bodyNow(`${name}p${callerIndex}n${n}`))
      sent.push(...(database === null ? [yield* accepted] : yield* unlessTooLate(accepted)))
    } else if (percentage < 80) yield* cancel(one)
    else if (percentage < 90) yield* replay(one)
    else yield* updateContact(contact, n)
  }
})

const ready =
  relay === null
    ? Effect.flatMap(Domains, (domains) =>
        Effect.ignore(untilAnswered(domains.create(project, { domain: "example.com", verified: true })))
      )
    : Effect.andThen(
        verifySenderDomain(dns, "example.com"),
        Effect.flatMap(Projects, (projects) => projects.update(project, { onAmbiguous: relay.onAmbiguous }))
      )

const work = Effect.gen(function* () {
  yield* ready
  yield* Effect.forkScoped((yield* Dispatcher).run)
  yield* Effect.all(
    Array.from({ length: callers }, (_, index) => caller(index)),
    { concurrency: "unbounded" }
  )
}).pipe(
  Effect.scoped,
  Effect.tapCause((cause) => Effect.sync(() => report({ kind: "problem", message: String(cause.reasons.map(String)) })))
)

const transport =
  relay === null ? recordingTransport(filesIn(folder).received, frequentRelayFaults) : relayTransport(relay.port)

const store =
  database === null ? fileStore(folder) : (await import("../postgres/databaseStore.ts")).sharedStore(database, listen)

await Effect.runPromise(
  Effect.provide(
    work,
    embeddedMailOver(folder, transport, {}, store).pipe(Layer.provideMerge(Layer.merge(clockFrom(startAt), dns.layer)))
  )
)
