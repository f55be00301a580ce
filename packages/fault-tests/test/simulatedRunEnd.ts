/**
 * A small run of the core without faults, in a store in memory. It ends with everything that the checks of a simulation read.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { hourMillis } from "@mailkeep/core/adapter"
import {
  Contacts,
  Dispatcher,
  Domains,
  EventSender,
  EventSink,
  eventKinds,
  Feedback,
  formatInstant,
  MailCore,
  MailStore,
  PlanSource,
  Sending,
  Suppressions,
  Transport,
  Webhooks
} from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { MemoryMailStore } from "@mailkeep/memory"
import { Clock, Effect, Layer } from "effect"
import { sendBody } from "../src/embeddedMail.ts"
import type { Conversation } from "../src/simulation/callers.ts"
import { emptyConversation } from "../src/simulation/callers.ts"
import type { RelayCopy } from "../src/simulation/flakyRelay.ts"
import { flakyRelay } from "../src/simulation/flakyRelay.ts"
import { flakySink } from "../src/simulation/flakySink.ts"
import type { AnsweredReport } from "../src/simulation/reports.ts"
import type { Causes } from "../src/simulation/verdict.ts"

export const projectId = "prj_one"
export const at = (name: string) => `${name}@example.org`

/** What the checks read. */
export interface RunEnd {
  readonly raw: MailStoreShape
  readonly conversation: Conversation
  readonly copies: ReadonlyArray<RelayCopy>
  readonly causes: Causes
  readonly webhookId: string
  readonly expectedEvents: ReadonlyArray<string>
  readonly received: ReadonlySet<string>
  readonly answered: ReadonlyArray<AnsweredReport>
}

/** Ada has her mail, Bob has complained about it, the mail to Carl was canceled, and the address of Eve was suppressed before. */
export const smallRun = Effect.gen(function* () {
  const copies: Array<RelayCopy> = []
  const received = new Set<string>()
  const conversation = emptyConversation()
  const clock = yield* Clock.Clock
  const relay = flakyRelay(
    Math.random,
    () => false,
    () => clock.currentTimeMillisUnsafe(),
    copies,
    true,
    () => Effect.void
  )
  const sink = flakySink(Math.random, () => false, received)
  const raw = yield* MemoryMailStore.make
  const core = MailCore.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(MailStore, raw),
        Layer.succeed(Transport, relay),
        Layer.succeed(EventSink, sink),
        PlanSource.layerFixed({}),
        NodeCrypto.layer
      )
    )
  )
  return yield* Effect.gen(function* () {
    const sending = yield* Sending
    const send = (key: string, to: ReadonlyArray<string>, scheduledAt?: string) =>
      Effect.gen(function* () {
        const body = sendBody({ to: to.map(at), ...(scheduledAt === undefined ? {} : { scheduledAt }) })
        const { replayed: _, ...answer } = yield* sending.send(projectId, body, { idempotencyKey: key })
        conversation.sends.push({ projectId, key, body, options: {}, caller: projectId, answers: [answer] })
        return answer
      })
    yield* (yield* Domains).create(projectId, { domain: "example.com", verified: true })
    const { id: webhookId } = (yield* (yield* Webhooks).create(projectId, {
      url: "https://hooks.example.net/",
      events: eventKinds
    })).webhook
    yield* (yield* Contacts).create(projectId, { email: at("fay") })
    yield* (yield* Suppressions).addReason(projectId, at("eve"), "manual")
    const now = yield* send("now", ["ada", "bob"])
    const later = yield* send("later", ["carl"], formatInstant(clock.currentTimeMillisUnsafe() + hourMillis))
    yield* send("blocked", ["eve"])
    yield* sending.cancel(projectId, later.messageId)
    conversation.canceled.add(later.messageId)
    yield* (yield* Dispatcher).tick
    const deliveryId = now.deliveryIds[1]!
    const report = { kind: "complained" } as const
    const answer = yield* (yield* Feedback).report(projectId, deliveryId, report)
    yield* (yield* EventSender).tick
    const [events] = yield* raw.read([{ _tag: "Events", projectId, after: null, limit: 100 }])
    return {
      raw,
      conversation,
      copies,
      causes: {
        suppressed: new Set([at("bob"), at("eve")].map((address) => `${projectId}/${address}`)),
        hardBounced: new Set<string>(),
        hasAllowance: false
      },
      webhookId,
      expectedEvents: events.map(({ id }) => id),
      received,
      answered: [{ projectId, deliveryId, report, answer, hadCopy: true }]
    } satisfies RunEnd
  }).pipe(Effect.provide(core))
}).pipe(Effect.scoped)
