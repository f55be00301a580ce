/**
 * Callers of a product: they send, repeat themselves, cancel, move, suppress, write contacts and revoke keys, and remember what they
 * were told. They outlive the processes that they call.
 */
import type { ContactId, Principal, SendBody, SendOptions, SendResult } from "@mailkeep/core"
import {
  Access,
  ApiKeys,
  Contacts,
  dayMillis,
  embedder,
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

/** The furthest ahead, on the caller's clock, that anything is scheduled. */
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

/** All that was said between callers and the core. */
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

export const silence = (): Conversation => ({
  asked: [],
  canceled: new Set(),
  contacts: [],
  keys: [],
  count: 0,
  unanswered: 0
})

const people = Array.from({ length: 5 }, (_, n) => `p${n}@example.org`)

export const makeCaller = (said: Conversation, random: () => number) => {
  const luck = (percent: number) => random() * 100 < percent
  const one = <A>(of: ReadonlyArray<A>): A | undefined => of[Math.floor(random() * of.length)]
  const project = () => one(projects)!

  const ask = (asked: Asked) =>
    Effect.gen(function* () {
      const request = Result.getOrThrow(parseSend(asked.body, asked.options))
      const { result } = yield* (yield* Sending).send(asked.principal, request, asked.key)
      asked.answers.push(result)
    })

  const send = Effect.gen(function* () {
    const projectId = project()
    const key = luck(30) ? one(said.keys.filter((issued) => issued.projectId === projectId)) : undefined
    const now = yield* Clock.currentTimeMillis
    const to = Array.from(new Set(Array.from({ length: 1 + Math.floor(random() * 3) }, () => one(people)!)))
    const body: SendBody = {
      from: "shop@example.com",
      to,
      subject: "An order",
      text: "Thanks",
      ...(luck(40)
        ? { scheduledAt: formatInstant(Math.ceil(now + 1000 + random() * (luck(20) ? aheadMillisMax : hourMillis))) }
        : {})
    }
    const options: SendOptions = luck(25) ? { onAmbiguous: "fail" } : {}
    const asked: Asked = {
      projectId,
      key: `k${said.count++}`,
      body,
      options,
      principal: key?.principal ?? embedder(projectId),
      answers: []
    }
    said.asked.push(asked)
    yield* ask(asked)
  })

  const repeat = Effect.suspend(() => {
    const asked = one(said.asked)
    return asked === undefined ? Effect.void : ask(asked)
  })

  const answered = () => one(said.asked.filter(({ answers }) => answers.length > 0))

  const cancel = Effect.gen(function* () {
    const asked = answered()
    if (asked === undefined) return
    const { messageId } = asked.answers[0]!
    yield* (yield* Sending).cancel(asked.projectId, messageId)
    said.canceled.add(messageId)
  })

  const reschedule = Effect.gen(function* () {
    const asked = answered()
    if (asked === undefined) return
    const at = (yield* Clock.currentTimeMillis) + 1000 + Math.ceil(random() * hourMillis)
    yield* (yield* Sending).reschedule(asked.projectId, asked.answers[0]!.messageId, at)
  })

  const suppress = Effect.flatMap(Suppressions, (suppressions) => suppressions.add(project(), one(people)!, "manual"))
  const lift = Effect.flatMap(Suppressions, (suppressions) => suppressions.lift(project(), one(people)!, "manual"))

  const createContact = Effect.gen(function* () {
    const [projectId, email] = [project(), one(people)!]
    const contact = yield* (yield* Contacts).create(projectId, Result.getOrThrow(parseCreateContact({ email })))
    said.contacts.push({ projectId, id: contact.id, email })
  })

  const updateContact = Effect.gen(function* () {
    const contact = one(said.contacts)
    if (contact === undefined) return
    const emailStatus = luck(50) ? "unsubscribed" : "subscribed"
    const email = luck(20) ? one(people)! : contact.email
    const request = Result.getOrThrow(parseUpdateContact({ email, emailStatus }))
    yield* (yield* Contacts).update(contact.projectId, contact.id, request)
  })

  const issueKey = Effect.gen(function* () {
    const projectId = project()
    const { key, printed } = yield* (yield* ApiKeys).issue(projectId, { permissions: ["email.send"] })
    const principal = yield* (yield* Access).authenticate(Redacted.value(printed))
    said.keys.push({ projectId, id: key.id, principal, revoked: false })
  })

  const revokeKey = Effect.gen(function* () {
    const key = one(said.keys)
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
    lift,
    lift,
    createContact,
    updateContact,
    updateContact,
    issueKey,
    revokeKey
  ]

  /** One call. A refusal is an answer; a store that is away is none. */
  return Effect.suspend(() => one(acts)!).pipe(
    Effect.catch((failure) =>
      Effect.sync(() => {
        if (failure instanceof StoreUnavailable) said.unanswered++
      })
    )
  )
}
