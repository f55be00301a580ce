/**
 * A product under load, to be killed: sends, schedules, cancels, replays, writes contacts and dispatches, all at once.
 */
import type { ContactId, SendBody } from "@mailkeep/core"
import {
  Contacts,
  Dispatcher,
  Domains,
  formatInstant,
  parseCreateContact,
  parseUpdateContact,
  Sending
} from "@mailkeep/core"
import { Clock, Effect, Layer, Result } from "effect"
import { clockFrom } from "../clockFrom.ts"
import { embeddedMail, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import { appender } from "../Lines.ts"
import { badWeather } from "../RecordingTransport.ts"
import type { Told } from "../told.ts"

export interface WorkerOptions {
  readonly folder: string
  /** Where its clock begins. */
  readonly startAt: number
  /** A name for its keys and people. */
  readonly name: string
  readonly callers: number
}

const { folder, startAt, name, callers } = JSON.parse(process.argv[2]!) as WorkerOptions
const tell: (line: Told) => void = appender(filesIn(folder).told)

const luck = (percent: number) => Math.random() * 100 < percent

interface Sent {
  readonly key: string
  readonly body: SendBody
  readonly messageId: string
}

const sendOne = Effect.fnUntraced(function* (key: string, body: SendBody) {
  tell({ told: "trySend", key, body })
  const { result } = yield* send(key, body)
  tell({ told: "sent", key, messageId: result.messageId, deliveryIds: result.deliveryIds })
  return { key, body, messageId: result.messageId } satisfies Sent
})

const bodyNow = Effect.fnUntraced(function* (unique: string) {
  const to = luck(30) ? [`${unique}a@example.org`, `${unique}b@example.org`] : `${unique}@example.org`
  if (!luck(30)) return sendBody({ to })
  const now = yield* Clock.currentTimeMillis
  return sendBody({ to, scheduledAt: formatInstant(now + 100 + Math.floor(Math.random() * 900)) })
})

const replay = Effect.fnUntraced(function* ({ key, body, messageId }: Sent) {
  const { result, replayed } = yield* send(key, body)
  if (!replayed || result.messageId !== messageId) tell({ told: "wrong", what: `${key} was answered anew` })
})

/** Whether it was still time is for the core to say. */
const cancel = Effect.fnUntraced(function* ({ messageId }: Sent) {
  const canceled = yield* Effect.result(Effect.flatMap(Sending, (sending) => sending.cancel(project, messageId)))
  if (Result.isSuccess(canceled)) tell({ told: "canceled", messageId })
})

const createContact = Effect.fnUntraced(function* (email: string) {
  tell({ told: "tryContact", email })
  const contact = yield* Effect.flatMap(Contacts, (contacts) =>
    contacts.create(project, Result.getOrThrow(parseCreateContact({ email, firstName: "first" })))
  )
  tell({ told: "contact", id: contact.id, email, firstName: contact.firstName, emailStatus: contact.emailStatus })
  return { id: contact.id, email }
})

const updateContact = Effect.fnUntraced(function* (
  { id, email }: { readonly id: ContactId; readonly email: string },
  n: number
) {
  tell({ told: "tryContact", email })
  const emailStatus = luck(50) ? "unsubscribed" : "subscribed"
  const request = Result.getOrThrow(parseUpdateContact({ email, firstName: `n${n}`, emailStatus }))
  const contact = yield* Effect.flatMap(Contacts, (contacts) => contacts.update(project, id, request))
  tell({ told: "contact", id, email, firstName: contact.firstName, emailStatus: contact.emailStatus })
})

const caller = Effect.fnUntraced(function* (place: number) {
  const mine: Array<Sent> = []
  const contact = yield* createContact(`${name}c${place}@example.org`)
  for (let n = 0; ; n++) {
    const dice = Math.random() * 100
    const one = mine[Math.floor(Math.random() * mine.length)]
    if (dice < 70 || one === undefined)
      mine.push(yield* sendOne(`${name}-${place}-${n}`, yield* bodyNow(`${name}p${place}n${n}`)))
    else if (dice < 80) yield* cancel(one)
    else if (dice < 90) yield* replay(one)
    else yield* updateContact(contact, n)
  }
})

const work = Effect.gen(function* () {
  const domains = yield* Domains
  yield* Effect.ignore(domains.add(project, { domain: "example.com", verified: true }))
  yield* Effect.forkScoped((yield* Dispatcher).run)
  yield* Effect.all(
    Array.from({ length: callers }, (_, place) => caller(place)),
    { concurrency: "unbounded" }
  )
}).pipe(
  Effect.scoped,
  Effect.tapCause((cause) => Effect.sync(() => tell({ told: "wrong", what: String(cause.reasons.map(String)) })))
)

await Effect.runPromise(
  Effect.provide(work, embeddedMail(folder, badWeather).pipe(Layer.provideMerge(clockFrom(startAt))))
)
