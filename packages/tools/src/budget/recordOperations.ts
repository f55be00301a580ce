/**
 * The operations that read the log, keep contacts, deliver events and delete old records.
 */
import type { ListDeliveriesInput } from "@mailkeep/core"
import {
  Access,
  ApiKeys,
  ContactFiles,
  Contacts,
  DeliveryLog,
  Dispatcher,
  EventSender,
  MailStore,
  Webhooks
} from "@mailkeep/core"
import type { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Operation } from "./Operation.ts"
import { numbers, project, send, sendMany, start } from "./Operation.ts"

/** A page of the log of a project with 300 deliveries. */
const logPage = (name: string, input: ListDeliveriesInput, pagesBefore = 0): Operation => ({
  name: `log page: ${name}`,
  prepare: Effect.gen(function* () {
    yield* sendMany(300, (n) => ({ subject: `Order ${n % 7}` }))
    const log = yield* DeliveryLog
    let cursor: string | null = null
    for (let page = 0; page < pagesBefore; page++)
      cursor = (yield* log.list(project, { ...input, limit: 50, cursor })).nextCursor
    return log.list(project, { ...input, limit: 50, cursor })
  })
})

const oneDelivery = Effect.gen(function* () {
  const { deliveryIds } = yield* send("one")
  yield* (yield* Dispatcher).tick
  return deliveryIds[0]!
})

const reading: ReadonlyArray<Operation> = [
  logPage("first", {}),
  logPage("middle", {}, 3),
  logPage("one status", { status: "queued" }),
  logPage("one recipient", { recipient: "r17@example.org" }),
  logPage("search", { search: "Order 3" }),
  logPage("dates", { startDate: new Date(start), endDate: new Date(start + 60_000) }),
  {
    name: "get a delivery",
    prepare: Effect.gen(function* () {
      const id = yield* oneDelivery
      return (yield* DeliveryLog).get(project, id)
    })
  },
  {
    name: "explain a delivery",
    prepare: Effect.gen(function* () {
      const id = yield* oneDelivery
      return (yield* DeliveryLog).explain(project, id)
    })
  }
]

const person = (n: number) => ({ email: `c${n}@example.org`, firstName: "Ada", lastName: `Number ${n}` })

/** A project with 300 contacts. */
const withContacts = Effect.gen(function* () {
  const contacts = yield* Contacts
  for (const n of numbers(300)) {
    yield* TestClock.adjust("1 second")
    yield* contacts.create(project, person(n))
  }
  return contacts
})

const row = (line: number, ...cells: ReadonlyArray<string>) => ({ line, cells })

const keepingContacts: ReadonlyArray<Operation> = [
  {
    name: "create a contact",
    prepare: Effect.map(withContacts, ({ create }) => create(project, person(1000)))
  },
  {
    name: "update a contact",
    prepare: Effect.gen(function* () {
      const contacts = yield* withContacts
      const { id, email } = (yield* contacts.findByEmail(project, person(17).email))!
      return contacts.update(project, id, { email, emailStatus: "unsubscribed" })
    })
  },
  {
    name: "contacts page: first",
    prepare: Effect.map(withContacts, ({ list }) => list(project, { limit: 50 }))
  },
  {
    name: "contacts page: third",
    prepare: Effect.map(withContacts, ({ list }) => list(project, { limit: 50, page: 3 }))
  },
  {
    name: "contacts page: one status",
    prepare: Effect.map(withContacts, ({ list }) => list(project, { limit: 50, emailStatus: "subscribed" }))
  },
  {
    name: "contacts page: search",
    prepare: Effect.map(withContacts, ({ list }) => list(project, { limit: 50, search: "number 17" }))
  },
  {
    name: "import 100 contacts",
    isConcurrent: true,
    prepare: Effect.map(ContactFiles, ({ importRows }) =>
      Stream.runDrain(
        importRows(
          project,
          Stream.make(
            row(1, "email", "first_name", "last_name"),
            ...numbers(100).map((n) => row(n + 2, person(n).email, person(n).firstName, person(n).lastName))
          )
        )
      )
    )
  }
]

const swept = { before: start + 50 * 86_400_000, limit: 100 }

const sweep = (
  what: string,
  run: (store: MailStore["Service"]) => Effect.Effect<unknown, StoreUnavailable>
): Operation => ({
  name: `sweep 100 ${what}`,
  prepare: Effect.gen(function* () {
    yield* sendMany(100)
    yield* (yield* Dispatcher).tick
    yield* TestClock.adjust("60 days")
    return run(yield* MailStore)
  })
})

const events: ReadonlyArray<Operation> = [
  {
    name: "deliver one event to a webhook",
    prepare: Effect.gen(function* () {
      yield* (yield* Webhooks).create(project, { url: "http://127.0.0.1:9/", events: ["email.delivered"] })
      yield* oneDelivery
      return (yield* EventSender).tick
    })
  },
  { name: "tick of the event sender without events", prepare: Effect.map(EventSender, ({ tick }) => tick) },
  sweep("idempotency keys", (store) => store.sweep({ kind: "idempotency", ...swept })),
  sweep("messages", (store) => store.sweepMessages({ ...swept, after: null }))
]

const access: ReadonlyArray<Operation> = [
  {
    name: "authenticate an API key",
    prepare: Effect.gen(function* () {
      const { secret } = yield* (yield* ApiKeys).create(project, { name: "budget", permissions: ["email.send"] })
      return (yield* Access).authenticate(Redacted.value(secret))
    })
  }
]

export const recordOperations: ReadonlyArray<Operation> = [...reading, ...keepingContacts, ...events, ...access]
