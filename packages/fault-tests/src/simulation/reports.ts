/**
 * Simulated delivery reports: relays and mailbox providers report bounces, deliveries and complaints while everything else happens. A report arrives
 * before the relay answers, after a retry, late, twice, or at both processes at the same time. Some are about a delivery that was never handed over.
 */
import type { DeliveryReport, Feedback, RecordedReport } from "@mailkeep/core"
import { StoreUnavailable } from "@mailkeep/core"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { RelayCopy } from "./flakyRelay.ts"
import { readNow } from "./history.ts"

/** A report that was answered. */
export interface AnsweredReport {
  readonly projectId: string
  readonly deliveryId: string
  readonly report: DeliveryReport
  readonly answer: RecordedReport
  /** Whether the relay had a copy before the report was made. */
  readonly hadCopy: boolean
}

const reports: ReadonlyArray<DeliveryReport> = [
  { kind: "delivered" },
  { kind: "complained" },
  { kind: "bounced", cause: "mailbox_unknown" },
  { kind: "bounced", smtpCode: 552, enhancedCode: "5.2.2", text: "The mailbox is full." },
  { kind: "bounced", cause: "expired", enhancedCode: "4.4.7" },
  { kind: "bounced", smtpCode: 554, enhancedCode: "5.7.1" }
]

/** A time at which a report arrives, at one process or at several. The first process chooses the delivery. */
interface PlannedReport {
  readonly at: number
  readonly report: DeliveryReport
  readonly timesMax: number
  times: number
  deliveryId: string | undefined
}

/** What the reports of one simulation need. */
export interface ReportsDeps {
  readonly raw: MailStoreShape
  readonly random: () => number
  /** The true time. */
  readonly now: () => number
  readonly copies: ReadonlyArray<RelayCopy>
  /** The project of each accepted delivery. */
  readonly projectOf: ReadonlyMap<string, string>
}

/** The reports of one simulation. */
export class Reports {
  readonly answered: Array<AnsweredReport> = []
  readonly problems: Array<string> = []
  readonly #deps: ReportsDeps
  readonly #planned: ReadonlyArray<PlannedReport>
  readonly #earlyShare: number

  /** `count` reports arrive before `end`. Before the relay answers, further ones arrive for the part `earlyShare` of the copies. */
  constructor(
    deps: ReportsDeps,
    { count, end, earlyShare }: { readonly count: number; readonly end: number; readonly earlyShare: number }
  ) {
    this.#deps = deps
    this.#earlyShare = earlyShare
    const { random, now } = deps
    const begin = now()
    this.#planned = Array.from({ length: count }, () => ({
      at: begin + Math.floor(random() * (end - begin)),
      report: this.#drawn(),
      timesMax: random() < 0.5 ? 1 : 2,
      times: 0,
      deliveryId: undefined
    })).toSorted((a, b) => a.at - b.at)
  }

  #drawn(): DeliveryReport {
    return reports[Math.floor(this.#deps.random() * reports.length)]!
  }

  /** Mostly the delivery of a new copy, and sometimes a delivery that may not have been handed over. */
  #target(): string | undefined {
    const { random, copies, projectOf } = this.#deps
    const ids = random() < 0.1 ? [...projectOf.keys()] : copies.map(({ deliveryId }) => deliveryId)
    return ids[Math.floor((random() < 0.5 ? random() : 1 - random() ** 3 / 2) * ids.length)]
  }

  /** Reports to one process. A failure of the store leaves it unknown whether the report was recorded. */
  #make(feedback: Feedback["Service"], deliveryId: string, report: DeliveryReport): Effect.Effect<void> {
    const { raw, copies, projectOf } = this.#deps
    const projectId = projectOf.get(deliveryId)!
    return Effect.gen({ self: this }, function* () {
      const hadCopy = copies.some((copy) => copy.deliveryId === deliveryId)
      const answer = yield* feedback.report(projectId, deliveryId, report)
      this.answered.push({ projectId, deliveryId, report, answer, hadCopy })
      const [attempts, delivery] = readNow(raw, [
        { _tag: "Attempts", projectId, deliveryId },
        { _tag: "Delivery", projectId, id: deliveryId }
      ])
      if (answer.outcome === "recorded" && attempts.length === 0)
        this.problems.push(`${deliveryId} is ${delivery?.status} after a report, but has no attempt`)
    }).pipe(
      Effect.catch((failure) =>
        Effect.sync(() => {
          if (!(failure instanceof StoreUnavailable))
            this.problems.push(`a report about ${deliveryId} failed: ${failure.message}`)
        })
      )
    )
  }

  /** Makes the planned reports that arrive at a process. */
  run(feedback: Feedback["Service"]): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (const planned of this.#planned) {
        if (planned.at < this.#deps.now()) continue
        yield* Effect.sleep(planned.at - this.#deps.now())
        planned.deliveryId ??= this.#target()
        if (planned.deliveryId === undefined || planned.times++ >= planned.timesMax) continue
        yield* Effect.forkChild(this.#make(feedback, planned.deliveryId, planned.report))
      }
      return yield* Effect.never
    })
  }

  /** The reports that arrive before the relay answers. */
  beforeAnswer(feedback: Feedback["Service"], { deliveryId }: RelayCopy): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#earlyShare > 0 && this.#deps.random() < this.#earlyShare
        ? this.#make(feedback, deliveryId, this.#drawn())
        : Effect.void
    )
  }
}
