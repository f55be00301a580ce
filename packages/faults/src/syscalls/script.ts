/**
 * A short life of a product, the same each time: sends, one of them scheduled and canceled, a contact, hand-overs. A call that
 * finds the store unavailable is made again under the same key.
 */
import type { SendBody } from "@mailkeep/core"
import {
  Contacts,
  Dispatcher,
  Domains,
  formatInstant,
  parseCreateContact,
  Sending,
  StoreUnavailable
} from "@mailkeep/core"
import { Clock, Effect, Result } from "effect"
import { embeddedMail, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import { appender } from "../Lines.ts"
import { fairWeather } from "../RecordingTransport.ts"
import type { Told } from "../told.ts"

const folder = process.argv[2]!
const tell: (line: Told) => void = appender(filesIn(folder).told)

const again = <A, E, R>(once: Effect.Effect<A, E, R>) =>
  Effect.retry(once, { times: 3, while: (failure) => failure instanceof StoreUnavailable })

const sendOne = Effect.fnUntraced(function* (key: string, body: SendBody) {
  tell({ told: "trySend", key, body })
  const { result } = yield* again(send(key, body))
  tell({ told: "sent", key, messageId: result.messageId, deliveryIds: result.deliveryIds })
  return result
})

const life = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  const domains = yield* Domains
  // The first try may have stood although its answer was lost.
  yield* again(domains.add(project, { domain: "example.com", verified: true })).pipe(
    Effect.catchTag("DomainTaken", () => Effect.void)
  )
  // Three at once, so that they share a group: what befalls it befalls them all.
  yield* Effect.forEach(
    [1, 2, 3],
    (n) => sendOne(`k${n}`, sendBody({ to: [`a${n}@example.org`, `b${n}@example.org`] })),
    { concurrency: 3, discard: true }
  )
  const now = yield* Clock.currentTimeMillis
  const later = yield* sendOne("later", sendBody({ scheduledAt: formatInstant(now + 3_600_000) }))
  yield* again(Effect.flatMap(Sending, (sending) => sending.cancel(project, later.messageId)))
  tell({ told: "canceled", messageId: later.messageId })
  const email = "ada@example.org"
  tell({ told: "tryContact", email })
  const contact = yield* Effect.result(
    again(
      Effect.flatMap(Contacts, (contacts) =>
        contacts.create(project, Result.getOrThrow(parseCreateContact({ email, firstName: "Ada" })))
      )
    )
  )
  if (Result.isSuccess(contact)) {
    const { id, firstName, emailStatus } = contact.success
    tell({ told: "contact", id, email, firstName, emailStatus })
  }
  yield* again(dispatcher.tick)
})

/** A store that does not open, or stays away, is a typed failure and a clean end. */
await Effect.runPromise(
  life.pipe(
    Effect.provide(embeddedMail(folder, fairWeather)),
    Effect.catchTag(["StoreUnavailable", "StoreNotOpened"], () => Effect.void),
    Effect.scoped
  )
)
