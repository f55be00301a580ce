/**
 * Simulated callers of a product. They send, repeat sends, cancel, reschedule, suppress, write contacts and revoke API keys, and record
 * the answers. They continue when the processes that they call are killed.
 */
import type { AcceptedSend, ContactId } from "@mailkeep/core/adapter"
import type { Caller, Principal, SendInput, SendOptions } from "@mailkeep/core"
import { Access, ApiKeys, Contacts, formatInstant, Sending, StoreUnavailable, Suppressions } from "@mailkeep/core"
import { dayMillis, hourMillis } from "@mailkeep/core/adapter"
import { Clock, Effect, Redacted } from "effect"

/** Maximum time from the clock of the caller to a scheduled send. */
export const aheadMillisMax = 3 * dayMillis

export const projects = ["prj_one", "prj_two"] as const

/** A send that a caller attempts, and repeats with the same idempotency key. */
export interface AttemptedSend {
  readonly projectId: string
  readonly key: string
  readonly body: SendInput
  readonly options: SendOptions
  readonly caller: Caller
  readonly answers: Array<AcceptedSend>
}

/** All calls and answers of the callers. */
export interface Conversation {
  readonly sends: Array<AttemptedSend>
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
  sends: [],
  canceled: new Set(),
  contacts: [],
  keys: [],
  count: 0,
  unanswered: 0
})

const people = Array.from({ length: 5 }, (_, n) => `p${n}@example.org`)

/** What the acts of one caller share. */
interface Acting {
  readonly conversation: Conversation
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** `true` in so many percent of the calls. */
  readonly chance: (percent: number) => boolean
  /** One of the values; `undefined` if there are none. */
  readonly oneOf: <A>(values: ReadonlyArray<A>) => A | undefined
  readonly project: () => string
}

const attempt = ({ caller, body, options, key, answers }: AttemptedSend) =>
  Effect.gen(function* () {
    const { replayed: _, ...answer } = yield* (yield* Sending).send(caller, body, { ...options, idempotencyKey: key })
    answers.push(answer)
  })

const send = ({ conversation, random, chance, oneOf, project }: Acting) =>
  Effect.gen(function* () {
    const projectId = project()
    const key = chance(30) ? oneOf(conversation.keys.filter((issued) => issued.projectId === projectId)) : undefined
    const now = yield* Clock.currentTimeMillis
    const to = Array.from(new Set(Array.from({ length: 1 + Math.floor(random() * 3) }, () => oneOf(people)!)))
    const body: SendInput = {
      from: "shop@example.com",
      to,
      subject: "An order",
      text: "Thanks",
      ...(chance(40)
        ? { scheduledAt: formatInstant(Math.ceil(now + 1000 + random() * (chance(20) ? aheadMillisMax : hourMillis))) }
        : {})
    }
    const options: SendOptions = chance(25) ? { onAmbiguous: "fail" } : {}
    const attempted: AttemptedSend = {
      projectId,
      key: `k${conversation.count++}`,
      body,
      options,
      caller: key?.principal ?? projectId,
      answers: []
    }
    conversation.sends.push(attempted)
    yield* attempt(attempted)
  })

const repeat = ({ conversation, oneOf }: Acting) =>
  Effect.suspend(() => {
    const attempted = oneOf(conversation.sends)
    return attempted === undefined ? Effect.void : attempt(attempted)
  })

/** A send that was answered; `undefined` if there is none. */
const answered = ({ conversation, oneOf }: Acting) =>
  oneOf(conversation.sends.filter(({ answers }) => answers.length > 0))

const cancel = (acting: Acting) =>
  Effect.gen(function* () {
    const attempted = answered(acting)
    if (attempted === undefined) return
    const { messageId } = attempted.answers[0]!
    yield* (yield* Sending).cancel(attempted.projectId, messageId)
    acting.conversation.canceled.add(messageId)
  })

const reschedule = (acting: Acting) =>
  Effect.gen(function* () {
    const attempted = answered(acting)
    if (attempted === undefined) return
    const at = (yield* Clock.currentTimeMillis) + 1000 + Math.ceil(acting.random() * hourMillis)
    yield* (yield* Sending).reschedule(attempted.projectId, attempted.answers[0]!.messageId, at)
  })

const suppress = ({ oneOf, project }: Acting) =>
  Effect.flatMap(Suppressions, (suppressions) => suppressions.addReason(project(), oneOf(people)!, "manual"))

const removeSuppression = ({ oneOf, project }: Acting) =>
  Effect.flatMap(Suppressions, (suppressions) => suppressions.removeReason(project(), oneOf(people)!, "manual"))

const createContact = ({ conversation, oneOf, project }: Acting) =>
  Effect.gen(function* () {
    const [projectId, email] = [project(), oneOf(people)!]
    const contact = yield* (yield* Contacts).create(projectId, { email })
    conversation.contacts.push({ projectId, id: contact.id, email })
  })

const updateContact = ({ conversation, chance, oneOf }: Acting) =>
  Effect.gen(function* () {
    const contact = oneOf(conversation.contacts)
    if (contact === undefined) return
    const emailStatus = chance(50) ? "unsubscribed" : "subscribed"
    const email = chance(20) ? oneOf(people)! : contact.email
    const request = { email, emailStatus } as const
    yield* (yield* Contacts).update(contact.projectId, contact.id, request)
  })

const createApiKey = ({ conversation, project }: Acting) =>
  Effect.gen(function* () {
    const projectId = project()
    const { apiKey, secret } = yield* (yield* ApiKeys).create(projectId, { permissions: ["email.send"] })
    const principal = yield* (yield* Access).authenticate(Redacted.value(secret))
    conversation.keys.push({ projectId, id: apiKey.id, principal, revoked: false })
  })

const revokeApiKey = ({ conversation, oneOf }: Acting) =>
  Effect.gen(function* () {
    const key = oneOf(conversation.keys)
    if (key === undefined) return
    key.revoked = true
    yield* (yield* ApiKeys).revoke(key.id)
  })

type Act = Effect.Effect<unknown, unknown, Access | ApiKeys | Contacts | Sending | Suppressions>

/** The acts of a caller, and how often each is chosen. */
const acts: ReadonlyArray<readonly [weight: number, act: (acting: Acting) => Act]> = [
  [10, send],
  [4, repeat],
  [2, cancel],
  [1, reschedule],
  [3, suppress],
  [2, removeSuppression],
  [1, createContact],
  [2, updateContact],
  [1, createApiKey],
  [1, revokeApiKey]
]

const weightedActs = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

/** Makes one random call. A refusal counts as an answer, an unavailable store does not. */
export const makeCaller = (conversation: Conversation, random: () => number) => {
  const oneOf = <A>(values: ReadonlyArray<A>): A | undefined => values[Math.floor(random() * values.length)]
  const acting: Acting = {
    conversation,
    random,
    chance: (percent) => random() * 100 < percent,
    oneOf,
    project: () => oneOf(projects)!
  }
  return Effect.suspend(() => oneOf(weightedActs)!(acting)).pipe(
    Effect.catch((failure) =>
      Effect.sync(() => {
        if (failure instanceof StoreUnavailable) conversation.unanswered++
      })
    )
  )
}
