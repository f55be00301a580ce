/**
 * Simulated callers of a product. They send, repeat sends, cancel, reschedule, suppress, write contacts and revoke API keys, and record
 * the answers. They continue when the processes that they call are killed.
 */
import type { ContactId, Principal, SendBody, SendOptions, SendResult } from "@mailkeep/core"
import {
  Access,
  ApiKeys,
  Contacts,
  dayMillis,
  embeddedPrincipal,
  formatInstant,
  hourMillis,
  parseCreateContact,
  parseSend,
  parseUpdateContact,
  Sending,
  StoreUnavailable,
  Suppressions
} from "@mailkeep/core"
import { Clock, Effect, Redacted, Result } from "effect"

/** Maximum time from the clock of the caller to a scheduled send. */
export const aheadMillisMax = 3 * dayMillis

export const projects = ["prj_one", "prj_two"] as const

export interface Asked {
  readonly projectId: string
  readonly key: string
  readonly body: SendBody
  readonly options: SendOptions
  readonly principal: Principal
  readonly answers: Array<SendResult>
}

/** All calls and answers of the callers. */
export interface Conversation {
  readonly asked: Array<Asked>
  readonly canceled: Set<string>
  readonly contacts: Array<{ readonly projectId: string; readonly id: ContactId; readonly email: string }>
  readonly keys: Array<{
    readonly projectId: string
    readonly id: string
    readonly principal: Principal
    revoked: boolean
  }>
  count: number
  unanswered: number
}

export const emptyConversation = (): Conversation => ({
  asked: [],
  canceled: new Set(),
  contacts: [],
  keys: [],
  count: 0,
  unanswered: 0
})

const people = Array.from({ length: 5 }, (_, n) => `p${n}@example.org`)

export const makeCaller = (conversation: Conversation, random: () => number) => {
  const chance = (percent: number) => random() * 100 < percent
  const oneOf = <A>(values: ReadonlyArray<A>): A | undefined => values[Math.floor(random() * values.length)]
  const project = () => oneOf(projects)!

  const ask = (asked: Asked) =>
    Effect.gen(function* () {
      const request = Result.getOrThrow(parseSend(asked.body, asked.options))
      const { result } = yield* (yield* Sending).send(asked.principal, request, asked.key)
      asked.answers.push(result)
    })

  const send = Effect.gen(function* () {
    const projectId = project()
    const key = chance(30) ? oneOf(conversation.keys.filter((issued) => issued.projectId === projectId)) : undefined
    const now = yield* Clock.currentTimeMillis
    const to = Array.from(new Set(Array.from({ length: 1 + Math.floor(random() * 3) }, () => oneOf(people)!)))
    const body: SendBody = {
      from: "shop@example.com",
      to,
      subject: "An order",
      text: "Thanks",
      ...(chance(40)
        ? { scheduledAt: formatInstant(Math.ceil(now + 1000 + random() * (chance(20) ? aheadMillisMax : hourMillis))) }
        : {})
    }
    const options: SendOptions = chance(25) ? { onAmbiguous: "fail" } : {}
    const asked: Asked = {
      projectId,
      key: `k${conversation.count++}`,
      body,
      options,
      principal: key?.principal ?? embeddedPrincipal(projectId),
      answers: []
    }
    conversation.asked.push(asked)
    yield* ask(asked)
  })

  const repeat = Effect.suspend(() => {
    const asked = oneOf(conversation.asked)
    return asked === undefined ? Effect.void : ask(asked)
  })

  const answered = () => oneOf(conversation.asked.filter(({ answers }) => answers.length > 0))

  const cancel = Effect.gen(function* () {
    const asked = answered()
    if (asked === undefined) return
    const { messageId } = asked.answers[0]!
    yield* (yield* Sending).cancel(asked.projectId, messageId)
    conversation.canceled.add(messageId)
  })

  const reschedule = Effect.gen(function* () {
    const asked = answered()
    if (asked === undefined) return
    const at = (yield* Clock.currentTimeMillis) + 1000 + Math.ceil(random() * hourMillis)
    yield* (yield* Sending).reschedule(asked.projectId, asked.answers[0]!.messageId, at)
  })

  const suppress = Effect.flatMap(Suppressions, (suppressions) => suppressions.add(project(), oneOf(people)!, "manual"))
  const removeSuppression = Effect.flatMap(Suppressions, (suppressions) =>
    suppressions.removeReason(project(), oneOf(people)!, "manual")
  )

  const createContact = Effect.gen(function* () {
    const [projectId, email] = [project(), oneOf(people)!]
    const contact = yield* (yield* Contacts).create(projectId, Result.getOrThrow(parseCreateContact({ email })))
    conversation.contacts.push({ projectId, id: contact.id, email })
  })

  const updateContact = Effect.gen(function* () {
    const contact = oneOf(conversation.contacts)
    if (contact === undefined) return
    const emailStatus = chance(50) ? "unsubscribed" : "subscribed"
    const email = chance(20) ? oneOf(people)! : contact.email
    const request = Result.getOrThrow(parseUpdateContact({ email, emailStatus }))
    yield* (yield* Contacts).update(contact.projectId, contact.id, request)
  })

  const issueKey = Effect.gen(function* () {
    const projectId = project()
    const { key, printed } = yield* (yield* ApiKeys).create(projectId, { permissions: ["email.send"] })
    const principal = yield* (yield* Access).authenticate(Redacted.value(printed))
    conversation.keys.push({ projectId, id: key.id, principal, revoked: false })
  })

  const revokeKey = Effect.gen(function* () {
    const key = oneOf(conversation.keys)
    if (key === undefined) return
    key.revoked = true
    yield* (yield* ApiKeys).revoke(key.id)
  })

  const acts: ReadonlyArray<Effect.Effect<unknown, unknown, Access | ApiKeys | Contacts | Sending | Suppressions>> = [
    ...Array.from({ length: 10 }, () => send),
    ...Array.from({ length: 4 }, () => repeat),
    cancel,
    cancel,
    reschedule,
    suppress,
    suppress,
    suppress,
    removeSuppression,
    removeSuppression,
    createContact,
    updateContact,
    updateContact,
    issueKey,
    revokeKey
  ]

  /** Makes one random call. A refusal counts as an answer, an unavailable store does not. */
  return Effect.suspend(() => oneOf(acts)!).pipe(
    Effect.catch((failure) =>
      Effect.sync(() => {
        if (failure instanceof StoreUnavailable) conversation.unanswered++
      })
    )
  )
}
