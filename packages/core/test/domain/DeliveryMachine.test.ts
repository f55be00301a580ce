import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, expectTypeOf, it } from "vitest"
import { claimKinds } from "../../src/domain/Claim.ts"
import { claimableStatuses, step, terminalStatuses } from "../../src/domain/DeliveryMachine.ts"
import type {
  DeliveryReason,
  DeliveryRow,
  DeliveryStatus,
  Trigger,
  TriggerFrom
} from "../../src/domain/DeliveryTable.ts"
import {
  deliveryReasons,
  deliveryStatuses,
  deliveryTable,
  emittedBy,
  triggers
} from "../../src/domain/DeliveryTable.ts"

/** What each status does on each trigger, written by hand: the table must say exactly this. */
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
    Claimed: "sending",
    RecipientSuppressed: "suppressed",
    SendExpired: "failed",
    MessageTooLarge: "failed",
    AcceptanceReported: "accepted",
    DeliveredReported: "delivered",
    BounceReported: "bounced",
    ComplaintReported: "complained"
  },
  sending: {
    TransportAccepted: "accepted",
    TransportDelivered: "delivered",
    RecipientRejected: "bounced",
    RecipientRefused: "bounced",
    MessageRefused: "failed",
    SenderRefused: "failed",
    MessageNotSendable: "failed",
    TransportDeferred: "queued",
    DeferredTooLong: "bounced",
    RelayUnreachable: "failed",
    ReleasedBeforeDot: "queued",
    WorkerDied: "queued",
    WorkerDiedTooOften: "failed",
    OutcomeLost: "queued",
    OutcomeGivenUp: "failed",
    RecipientSuppressed: "suppressed",
    DeliveredReported: "delivered",
    BounceReported: "bounced",
    ComplaintReported: "complained"
  },
  accepted: { DeliveredReported: "delivered", BounceReported: "bounced", ComplaintReported: "complained" },
  delivered: { BounceReported: "bounced", ComplaintReported: "complained" },
  bounced: { ComplaintReported: "complained" },
  failed: {},
  canceled: {},
  suppressed: {},
  complained: {}
}

const starts = ["none", ...deliveryStatuses] as const

describe("every pair of status and trigger", () => {
  it.each(starts.flatMap((from) => triggers.map((on) => [from, on] as const)))("%s on %s", (from, on) => {
    const moved = step(from, on)
    const to = expected[from][on]
    if (to === undefined) {
      expect(Result.isFailure(moved) && moved.failure).toMatchObject({ _tag: "IllegalTransition", from, on })
    } else expect(Result.isSuccess(moved) && moved.success.to).toBe(to)
  })

  it("settles failed(delivery_uncertain) on evidence, and no other failure", () => {
    const reports = ["DeliveredReported", "BounceReported", "ComplaintReported"] as const
    for (const reason of [null, ...deliveryReasons])
      for (const on of reports)
        expect(Result.isSuccess(step("failed", on, reason))).toBe(reason === "delivery_uncertain")
  })
})

describe("the table", () => {
  const rows: ReadonlyArray<DeliveryRow> = deliveryTable

  it("has one row for a status, a reason and a trigger", () => {
    const keys = rows.map(({ from, fromReason, on }) => `${from}/${fromReason ?? ""}/${on}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it("reaches every status", () => {
    expect(new Set(rows.map(({ to }) => to))).toEqual(new Set(deliveryStatuses))
  })

  it("leaves no delivery that waits for the dispatcher without the one claim that reaches it", () => {
    expect(Object.values(claimKinds).toSorted()).toEqual([...claimableStatuses].toSorted())
  })

  it("names a source for every row", () => {
    expect(rows.every(({ source }) => source.length > 0)).toBe(true)
  })

  it("emits on every arrival at a status that somebody may wait for, and on a delay", () => {
    const waited = new Set<string>([
      "delivered",
      "bounced",
      "failed",
      "accepted",
      "complained",
      "suppressed",
      "canceled"
    ])
    for (const { on, to, emits } of rows)
      expect(emits).toBe(waited.has(to) ? `email.${to}` : on === "TransportDeferred" ? "email.delayed" : undefined)
  })

  it("tells of a delay once, and of nothing else twice", () => {
    const delayed = rows.find(({ on }) => on === "TransportDeferred")!
    expect([emittedBy(delayed, 0), emittedBy(delayed, 1)]).toEqual(["email.delayed", undefined])
    const bounced = rows.find(({ to }) => to === "bounced")!
    expect([emittedBy(bounced, 0), emittedBy(bounced, 1)]).toEqual(["email.bounced", "email.bounced"])
  })

  it("ends in canceled, suppressed, complained and failed", () => {
    expect([...terminalStatuses].toSorted()).toEqual(["canceled", "complained", "failed", "suppressed"])
  })

  it("is read by the compiler", () => {
    expectTypeOf<TriggerFrom<"accepted">>().toEqualTypeOf<
      "DeliveredReported" | "BounceReported" | "ComplaintReported"
    >()
    expectTypeOf<TriggerFrom<"canceled">>().toEqualTypeOf<never>()
  })
})

interface Walked {
  readonly status: DeliveryStatus | "none"
  readonly reason: DeliveryReason | null
  readonly charged: number
  readonly waiting: number
  readonly rows: ReadonlyArray<DeliveryRow>
}

const blank: Walked = { status: "none", reason: null, charged: 0, waiting: 0, rows: [] }

/** One delivery's way through the table; a trigger the table does not know leaves it where it is. */
const walk = (path: ReadonlyArray<Trigger>, from: Walked = blank): Walked =>
  path.reduce((at, on) => {
    const moved = step(at.status, on, at.reason)
    if (Result.isFailure(moved)) return at
    const row = moved.success
    const refund = row.refunds === true ? 1 : 0
    return {
      status: row.to,
      reason: row.reason ?? null,
      charged: at.charged + (row.ledger?.allowance ?? 0) - refund,
      waiting: at.waiting + (row.ledger?.waiting ?? 0),
      rows: [...at.rows, row]
    }
  }, from)

const path = fc.array(fc.constantFrom(...triggers), { maxLength: 60 })

describe("every path", () => {
  it("is absorbed by a terminal status", () => {
    fc.assert(
      fc.property(path, fc.constantFrom(...terminalStatuses), (path, status) => {
        const end = walk(path, { ...blank, status })
        expect(end.status).toBe(status)
      })
    )
  })

  it("charges a delivery at most once, and keeps a charge exactly in the statuses after a hand-off", () => {
    fc.assert(
      fc.property(path, (path) => {
        const { status, charged, waiting, rows } = walk(path)
        const refunded = rows.at(-1)?.refunds === true
        const chargeable = !["none", "scheduled", "canceled", "suppressed"].includes(status)
        const failedUncharged = status === "failed" && (refunded || rows.at(-1)?.from === "scheduled")
        expect(charged).toBe(chargeable && !failedUncharged ? 1 : 0)
        expect(waiting).toBe(status === "scheduled" ? 1 : 0)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("reports", () => {
  const reports = ["DeliveredReported", "BounceReported", "ComplaintReported"] as const
  const strongest = { DeliveredReported: 1, BounceReported: 2, ComplaintReported: 3 }
  const status = { DeliveredReported: "delivered", BounceReported: "bounced", ComplaintReported: "complained" } as const

  it("end in one status in any order and repetition, whatever was under way", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("queued", "sending", "accepted" as const),
        fc.array(fc.constantFrom(...reports), { minLength: 1, maxLength: 12 }),
        (from, sequence) => {
          const last = [...sequence].toSorted((a, b) => strongest[b] - strongest[a])[0]!
          expect(walk(sequence, { ...blank, status: from }).status).toBe(status[last])
        }
      )
    )
  })
})
