/**
 * Tests the checks at the end of a simulation one by one. The end of a small run has no problem. Each row changes one thing in it, and the checks
 * find the problem.
 */
import type { AnswerOf, Attempt, Delivery, EventDelivery, MailStoreShape, QueryTag } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import type { AttemptedSend } from "../src/simulation/callers.ts"
import { eventDeliveriesVerdict } from "../src/simulation/eventDeliveriesVerdict.ts"
import type { RelayCopy } from "../src/simulation/flakyRelay.ts"
import type { AnsweredReport } from "../src/simulation/reports.ts"
import { reportsVerdict } from "../src/simulation/reportsVerdict.ts"
import type { Causes } from "../src/simulation/verdict.ts"
import { verdict } from "../src/simulation/verdict.ts"
import type { RunEnd } from "./simulatedRunEnd.ts"
import { at, projectId, smallRun } from "./simulatedRunEnd.ts"

const problemsOf = (end: RunEnd): ReadonlyArray<string> => [
  ...verdict(end.raw, end.conversation, end.copies, end.causes),
  ...eventDeliveriesVerdict(
    end.raw,
    {
      webhooks: new Map([[projectId, [end.webhookId]]]),
      expectedEvents: new Map([[end.webhookId, [...end.expectedEvents]]])
    },
    end.received
  ),
  ...reportsVerdict(end.raw, end.answered)
]

let end: RunEnd
beforeAll(async () => {
  end = await Effect.runPromise(smallRun)
})

type Damage = (end: RunEnd) => RunEnd

/** Changes each answer of one kind. */
const answering =
  <T extends QueryTag>(tag: T, change: (answer: AnswerOf<T>) => AnswerOf<T>): Damage =>
  (one) => {
    const read = ((queries) =>
      Effect.map(one.raw.read(queries), (answers: ReadonlyArray<unknown>) =>
        answers.map((answer, n) => (queries[n]!._tag === tag ? change(answer as AnswerOf<T>) : answer))
      )) as MailStoreShape["read"]
    return { ...one, raw: { ...one.raw, read } }
  }

const delivery = (name: string, change: Partial<Delivery>): Damage =>
  answering("Delivery", (one) => (one?.address === at(name) ? { ...one, ...change } : one))

const attempts = (change: (attempts: ReadonlyArray<Attempt>) => ReadonlyArray<Attempt>): Damage =>
  answering("Attempts", change)

const eventDeliveries = (
  change: (eventDeliveries: ReadonlyArray<EventDelivery>) => ReadonlyArray<EventDelivery>
): Damage => answering("EventDeliveryPage", (page) => change(page) as typeof page)

const firstEventDelivery = (change: Partial<EventDelivery>): Damage =>
  eventDeliveries(([first, ...others]) => [{ ...first!, ...change }, ...others])

const copies =
  (change: (copies: ReadonlyArray<RelayCopy>) => ReadonlyArray<RelayCopy>): Damage =>
  (one) => ({ ...one, copies: change(one.copies) })

/** As many further copies of the mail to Ada. */
const furtherCopies = (count: number, change: Partial<RelayCopy> = {}): Damage =>
  copies((all) => [...all, ...Array.from({ length: count }, () => ({ ...all[0]!, ...change }))])

const causes =
  (change: Partial<Causes>): Damage =>
  (one) => ({ ...one, causes: { ...one.causes, ...change } })

const sends =
  (change: (send: AttemptedSend) => AttemptedSend): Damage =>
  (one) => ({ ...one, conversation: { ...one.conversation, sends: one.conversation.sends.map(change) } })

const report =
  (change: Partial<AnsweredReport>): Damage =>
  (one) => ({ ...one, answered: one.answered.map((answered) => ({ ...answered, ...change }) as AnsweredReport) })

const both =
  (first: Damage, second: Damage): Damage =>
  (one) =>
    second(first(one))

/** Every attempt is ambiguous, so copies of the same attempt are explained. */
const allAmbiguous = attempts((all) => all.map((one) => ({ ...one, outcome: "ambiguous" }) as Attempt))

describe("the checks at the end of a simulation", () => {
  it("finds no problem in a run without a fault", () => {
    expect(end.copies).toHaveLength(2)
    expect(end.expectedEvents.length).toBeGreaterThan(5)
    expect(problemsOf(end)).toEqual([])
  })

  it.each<[what: string, damage: Damage, ...problems: ReadonlyArray<RegExp>]>([
    [
      "a repeated send that got another answer",
      sends((send) => ({ ...send, answers: [...send.answers, { ...send.answers[0]!, deliveryIds: [] }] })),
      /^now got two different answers$/,
      /^later got two different answers$/,
      /^blocked got two different answers$/
    ],
    [
      "an answer that no idempotency record has",
      sends((send) => (send.key === "now" ? { ...send, key: "lost" } : send)),
      /^the idempotency record of lost differs from the answer$/
    ],
    [
      "a lost delivery",
      answering("DeliveriesOfMessage", (all) => all.slice(0, 1)),
      /^now has an idempotency record, but its message or a delivery is missing$/
    ],
    [
      "a lost message",
      answering("Message", () => null),
      /^now has an idempotency record, but its message/,
      /^later has an idempotency record, but its message/,
      /^blocked has an idempotency record, but its message/,
      ...Array.from({ length: 4 }, () => / has no message in its project$/)
    ],
    ["a handed over delivery that is not charged", delivery("ada", { chargedAt: null }), / was not charged$/],
    ["a handed over delivery that counts for no day", delivery("ada", { countedDay: null }), / was not charged$/],
    [
      "a canceled delivery that is charged",
      delivery("carl", { chargedAt: 1 }),
      / never reached the relay, but is charged$/
    ],
    ["a suppression without a cause", causes({ suppressed: new Set() }), / is suppressed, but its address never was$/],
    [
      "an exceeded allowance of a plan without one",
      delivery("carl", { reason: "quota_exceeded" }),
      /the plan has none$/
    ],
    [
      "a hard bounce that does not suppress its address",
      delivery("ada", { status: "bounced", reason: "hard_bounce" }),
      / had a hard bounce, but its address is not suppressed$/,
      / has 0 events email\.bounced$/
    ],
    ["a delivery that waits for ever", delivery("carl", { status: "scheduled" }), / is still scheduled$/],
    ["an attempt that is not counted", delivery("ada", { attemptCount: 0 }), / has 1 attempts but counts 0/],
    [
      "an attempt that never ended",
      attempts((all) => all.map((one) => ({ ...one, phase: "finalizing" }) as Attempt)),
      /or an attempt never ended$/,
      /or an attempt never ended$/
    ],
    ["a copy of an unknown attempt", furtherCopies(1, { attempt: 2 }), / that no attempt explains$/],
    ["a second copy after an attempt that was not ambiguous", furtherCopies(1), / that no attempt explains$/],
    ["a fourth copy", both(allAmbiguous, furtherCopies(3)), / was handed off 4 times$/],
    [
      "a second copy of a message that is handed over at most once",
      both(
        both(allAmbiguous, furtherCopies(1)),
        answering("Message", (one) => one && { ...one, onAmbiguous: "fail" })
      ),
      / was handed off 2 times$/
    ],
    [
      "copies with different Message-IDs",
      both(allAmbiguous, furtherCopies(1, { messageIdHeader: "<another@example.com>" })),
      / has copies with different Message-IDs$/
    ],
    ["a success without a copy", copies((all) => all.slice(1)), /: attempt 1 is delivered, but the relay has no copy$/],
    [
      "a copy of a canceled delivery",
      (one) => furtherCopies(1, { deliveryId: one.conversation.sends[1]!.answers[0]!.deliveryIds[0]! })(one),
      / has a copy at the relay that no attempt explains$/,
      / was canceled, but the relay has a copy$/
    ],
    [
      "a counter that differs from its records",
      answering("UsageAudit", (audit) => ({ ...audit, contacts: audit.contacts + 1 })),
      /^prj_one counts 1 for contacts, but has 2$/,
      /^prj_two counts 0 for contacts, but has 1$/
    ],
    [
      "an unsubscribed contact without a suppression",
      answering("ContactPage", (all) => all.map((one) => ({ ...one, emailStatus: "unsubscribed" }))),
      /^contact fay@example\.org is unsubscribed, but the suppression of its address differs$/
    ],
    ["an event that is not counted", delivery("ada", { sequence: 0 }), / has the events 1, but counts 0$/],
    [
      "a second event of a repeated report",
      answering("Events", (all) =>
        all.map((one) =>
          one.kind === "email.delivered" && one.data.recipient === at("bob")
            ? { ...one, kind: "email.complained" }
            : one
        )
      ),
      / has 2 events email\.complained$/
    ],
    [
      "an event without an event delivery",
      eventDeliveries((all) => all.slice(1)),
      / does not have exactly one event delivery of /
    ],
    [
      "two event deliveries of one event",
      eventDeliveries((all) => [...all, all[0]!]),
      / does not have exactly one event delivery of /
    ],
    [
      "an uncounted attempt of an event delivery",
      firstEventDelivery({ attemptCount: 0 }),
      /attempts, but the webhook answered 1$/
    ],
    [
      "an event that did not reach the webhook",
      (one) => ({ ...one, received: new Set([...one.received].slice(1)) }),
      / is delivered, but the webhook did not receive it$/
    ],
    [
      "an event delivery that waits for ever",
      firstEventDelivery({ status: "pending" }),
      / is still pending after 1 attempts$/
    ],
    [
      "an event delivery that failed too early",
      firstEventDelivery({ status: "failed" }),
      / is still failed after 1 attempts$/
    ],
    [
      "a report about an unknown delivery",
      report({ deliveryId: "del_none" }),
      /^del_none does not exist, but a report/
    ],
    [
      "a report that was recorded and is forgotten",
      both(delivery("bob", { status: "delivered" }), report({ hadCopy: false })),
      / was complained after a report, and is delivered$/
    ],
    [
      "a report that changed nothing",
      both(delivery("bob", { status: "delivered" }), report({ answer: { outcome: "unchanged", status: "delivered" } })),
      / was reported as complained, and is delivered$/
    ],
    [
      "a complaint that does not suppress the recipient",
      answering("SuppressionPage", (page) => ({ ...page, items: [] })),
      / has complained, but is not suppressed$/
    ],
    [
      "a report of an unknown mailbox that does not suppress the recipient",
      report({ report: { kind: "bounced", cause: "mailbox_unknown" } }),
      / was reported as unknown, but is not suppressed$/
    ]
  ])("finds %s", (_, damage, ...problems) => {
    expect(problemsOf(damage(end))).toEqual(problems.map((one) => expect.stringMatching(one)))
  })
})
