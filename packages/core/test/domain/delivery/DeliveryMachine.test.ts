import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, expectTypeOf, it } from "vitest"
import { claimKinds } from "../../../src/domain/store/Claim.ts"
import { claimableStatuses, step, terminalStatuses } from "../../../src/domain/delivery/DeliveryMachine.ts"
import type { DeliveryReason, DeliveryStatus } from "../../../src/domain/delivery/DeliveryStatus.ts"
import type { DeliveryRow } from "../../../src/domain/delivery/DeliveryRow.ts"
import type { Trigger, TriggerFrom } from "../../../src/domain/delivery/DeliveryTable.ts"
import { deliveryReasons, deliveryStatuses } from "../../../src/domain/delivery/DeliveryStatus.ts"
import { deliveryTable, triggers } from "../../../src/domain/delivery/DeliveryTable.ts"
import { emittedBy } from "../../../src/domain/delivery/DeliveryRow.ts"

const badReports = {
  BounceReported: "bounced",
  BlockReported: "bounced",
  MessageBlockReported: "bounced",
  ExpiryReported: "bounced",
  ComplaintReported: "complained"
} as const

/** The next status for each status and trigger, written by hand. The table must be equal. */
const expected: Readonly<Record<DeliveryStatus | "none", Partial<Record<Trigger, DeliveryStatus>>>> = {
  none: { SendAccepted: "queued", SendScheduled: "scheduled", SendSuppressed: "suppressed" },
  scheduled: {
    DueReached: "queued",
    DueSuppressed: "suppressed",
    DueOverAllowance: "failed",
    DueKeyRevoked: "failed",
    DueDomainUnverified: "failed",
    CancelRequested: "canceled",
    Rescheduled: "scheduled",
    NotYetDue: "scheduled"
  },
  queued: {
    NotYetDue: "queued",
    AttemptBegan: "sending",
    RecipientSuppressed: "suppressed",
    SendExpired: "failed",
    AmbiguousFailure: "failed",
    MessageTooLarge: "failed",
    LateAcceptance: "accepted",
    LateDelivery: "delivered",
    DeliveredReported: "delivered",
    ...badReports
  },
  sending: {
    TransportAccepted: "accepted",
    TransportDelivered: "delivered",
    MailboxUnknown: "bounced",
    RecipientBlocked: "bounced",
    MessageRefused: "failed",
    SenderRefused: "failed",
    MessageNotSendable: "failed",
    TransportDeferred: "queued",
    DeferredTooLong: "bounced",
    UnreachableTooLong: "failed",
    HandOffStopped: "queued",
    WorkerDied: "queued",
    WorkerDiedTooOften: "failed",
    AmbiguousRetry: "queued",
    AmbiguousFailure: "failed",
    RecipientSuppressed: "suppressed",
    DeliveredReported: "delivered",
    ...badReports
  },
  accepted: { DeliveredReported: "delivered", ...badReports },
  delivered: badReports,
  bounced: { ComplaintReported: "complained" },
  failed: {},
  canceled: {},
  suppressed: {},
  complained: {}
}

const starts = ["none", ...deliveryStatuses] as const

describe("step, for every pair of status and trigger", () => {
  it.each(starts.flatMap((from) => triggers.map((trigger) => [from, trigger] as const)))(
    "decides the transition from %s on %s",
    (from, trigger) => {
      const stepped = step(from, trigger, null)
      const to = expected[from][trigger]
      if (to === undefined) {
        expect(Result.isFailure(stepped) && stepped.failure).toMatchObject({ _tag: "IllegalTransition", from, trigger })
      } else expect(Result.isSuccess(stepped) && stepped.success.to).toBe(to)
    }
  )

  it("settles a failed delivery on a report only when its reason is delivery_uncertain", () => {
    const reports = triggers.filter((trigger) => trigger === "DeliveredReported" || trigger in badReports)
    for (const reason of [null, ...deliveryReasons])
      for (const trigger of reports)
        expect(Result.isSuccess(step("failed", trigger, reason))).toBe(reason === "delivery_uncertain")
  })
})

describe("deliveryTable", () => {
  const rows: ReadonlyArray<DeliveryRow> = deliveryTable

  it("has at most one row for each status, reason and trigger", () => {
    const keys = rows.map(({ from, fromReason, trigger }) => `${from}/${fromReason ?? ""}/${trigger}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it("has a row that leads to each status", () => {
    expect(new Set(rows.map(({ to }) => to))).toEqual(new Set(deliveryStatuses))
  })

  it("gives each claimable status exactly one kind of claim", () => {
    expect(Object.values(claimKinds).toSorted()).toEqual([...claimableStatuses].toSorted())
  })

  it("names a source for every row", () => {
    expect(rows.every(({ source }) => source.length > 0)).toBe(true)
  })

  it("emits an event for every reported status and for a delay", () => {
    const reported = new Set<string>([
      "delivered",
      "bounced",
      "failed",
      "accepted",
      "complained",
      "suppressed",
      "canceled"
    ])
    for (const { trigger, to, emits } of rows)
      expect(emits).toBe(
        reported.has(to) ? `email.${to}` : trigger === "TransportDeferred" ? "email.delayed" : undefined
      )
  })

  it("emits email.delayed only for the first deferral, and email.bounced each time", () => {
    const delayed = rows.find(({ trigger }) => trigger === "TransportDeferred")!
    expect([emittedBy(delayed, 0), emittedBy(delayed, 1)]).toEqual(["email.delayed", undefined])
    const bounced = rows.find(({ to }) => to === "bounced")!
    expect([emittedBy(bounced, 0), emittedBy(bounced, 1)]).toEqual(["email.bounced", "email.bounced"])
  })

  it("has the terminal statuses canceled, suppressed, complained and failed", () => {
    expect([...terminalStatuses].toSorted()).toEqual(["canceled", "complained", "failed", "suppressed"])
  })

  it("gives the compiler the triggers of a status as the table has them", () => {
    const triggersFrom = (status: DeliveryStatus) =>
      rows.filter(({ from }) => from === status).map(({ trigger }) => trigger)
    expectTypeOf<TriggerFrom<"bounced">>().toEqualTypeOf<"ComplaintReported">()
    expect(triggersFrom("bounced")).toEqual(["ComplaintReported"])
    expectTypeOf<TriggerFrom<"canceled">>().toEqualTypeOf<never>()
    expect(triggersFrom("canceled")).toEqual([])
  })
})

interface DeliveryPath {
  readonly status: DeliveryStatus | "none"
  readonly reason: DeliveryReason | null
  readonly charged: number
  readonly scheduledRecipients: number
  readonly rows: ReadonlyArray<DeliveryRow>
}

const blank: DeliveryPath = { status: "none", reason: null, charged: 0, scheduledRecipients: 0, rows: [] }

/** Applies triggers to one delivery. A trigger without a row in the table changes nothing. */
const applyTriggers = (path: ReadonlyArray<Trigger>, from: DeliveryPath = blank): DeliveryPath =>
  path.reduce((at, trigger) => {
    const stepped = step(at.status, trigger, at.reason)
    if (Result.isFailure(stepped)) return at
    const row = stepped.success
    const refund = row.refunds === true ? 1 : 0
    return {
      status: row.to,
      reason: row.reason ?? null,
      charged: at.charged + (row.counters?.allowance ?? 0) - refund,
      scheduledRecipients: at.scheduledRecipients + (row.counters?.scheduledRecipients ?? 0),
      rows: [...at.rows, row]
    }
  }, from)

const path = fc.array(fc.constantFrom(...triggers), { maxLength: 60, size: "max" })

describe("step, for every sequence of triggers", () => {
  it("keeps a terminal status on every sequence of triggers", () => {
    fc.assert(
      fc.property(path, fc.constantFrom(...terminalStatuses), (path, status) => {
        const end = applyTriggers(path, { ...blank, status })
        expect(end.status).toBe(status)
      })
    )
  })

  it("charges a delivery at most once, exactly in the statuses that count as usage", () => {
    fc.assert(
      fc.property(path, (path) => {
        const { status, charged, scheduledRecipients, rows } = applyTriggers(path)
        const refunded = rows.at(-1)?.refunds === true
        const chargeable = !["none", "scheduled", "canceled", "suppressed"].includes(status)
        const failedUncharged = status === "failed" && (refunded || rows.at(-1)?.from === "scheduled")
        expect(charged).toBe(chargeable && !failedUncharged ? 1 : 0)
        expect(scheduledRecipients).toBe(status === "scheduled" ? 1 : 0)
      }),
      { numRuns: 400 }
    )
  })
})

describe("step, for reports", () => {
  const reports = triggers.filter((trigger) => trigger === "DeliveredReported" || trigger in badReports)
  const statusOf = (trigger: Trigger) =>
    trigger === "DeliveredReported" ? "delivered" : badReports[trigger as keyof typeof badReports]
  const strongestFirst = ["complained", "bounced", "delivered"] as const

  it("gives the same status for reports in any order and repetition", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("queued", "sending", "accepted" as const),
        fc.array(fc.constantFrom(...reports), { minLength: 1, maxLength: 12 }),
        (from, sequence) => {
          const strongest = strongestFirst.find((status) => sequence.some((trigger) => statusOf(trigger) === status))
          expect(applyTriggers(sequence, { ...blank, status: from }).status).toBe(strongest)
        }
      )
    )
  })
})
