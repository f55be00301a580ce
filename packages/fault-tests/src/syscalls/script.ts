/**
 * A short program that always does the same: it sends, schedules and cancels, creates a contact, and hands off mail.
 * Retries a call with the same idempotency key when the store is unavailable.
 */
import type { SendInput } from "@mailkeep/core"
import { Contacts, Dispatcher, Domains, formatInstant, Sending, StoreUnavailable } from "@mailkeep/core"
import { Clock, Effect, Result } from "effect"
import { embeddedMail, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import { appender } from "../Lines.ts"
import { noRelayFaults } from "../RecordingTransport.ts"
import type { WorkerReport } from "../workerReports.ts"

const folder = process.argv[2]!
const report: (line: WorkerReport) => void = appender(filesIn(folder).reports)

const again = <A, E, R>(once: Effect.Effect<A, E, R>) =>
  Effect.retry(once, { times: 3, while: (failure) => failure instanceof StoreUnavailable })

const sendOne = Effect.fnUntraced(function* (key: string, body: SendInput) {
  report({ kind: "trySend", key, body })
  const sent = yield* again(send(key, body))
  report({ kind: "sent", key, messageId: sent.messageId, deliveryIds: sent.deliveryIds })
  return sent
})

const program = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  const domains = yield* Domains
  // The first call may have been applied although its answer was lost.
  yield* again(domains.create(project, { domain: "example.com", verified: true })).pipe(
    Effect.catchTag("DomainTaken", () => Effect.void)
  )
  // Three at once, so that they share a commit group and its failure.
  yield* Effect.forEach(
    [1, 2, 3],
    (n) => sendOne(`k${n}`, sendBody({ to: [`a${n}@example.org`, `b${n}@example.org`] })),
    { concurrency: 3, discard: true }
  )
  const now = yield* Clock.currentTimeMillis
  const later = yield* sendOne("later", sendBody({ scheduledAt: formatInstant(now + 3_600_000) }))
  yield* again(Effect.flatMap(Sending, (sending) => sending.cancel(project, later.messageId)))
  report({ kind: "canceled", messageId: later.messageId })
  const email = "ada@example.org"
  report({ kind: "tryContact", email })
  const contact = yield* Effect.result(
    again(Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email, firstName: "Ada" })))
  )
  if (Result.isSuccess(contact)) {
    const { id, firstName, emailStatus } = contact.success
    report({ kind: "contact", id, email, firstName, emailStatus })
  }
  yield* again(dispatcher.tick)
})

// A store that cannot be opened or stays unavailable gives a typed failure and a clean exit.
await Effect.runPromise(
  program.pipe(
    Effect.provide(embeddedMail(folder, noRelayFaults)),
    Effect.catchTag(["StoreUnavailable", "StoreNotOpened"], () => Effect.void),
    Effect.scoped
  )
)
