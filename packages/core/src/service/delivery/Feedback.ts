/**
 * Takes delivery reports: bounces, deliveries and complaints that relays and mailbox providers report after the hand-off.
 * Source: decisions 0003 and 0040.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { RecordedReport, RecordReportFacts } from "../../decide/delivery/recordReport.ts"
import { recordReport } from "../../decide/delivery/recordReport.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { DeliveryReport, ValidDeliveryReport } from "../../domain/delivery/DeliveryReport.ts"
import { parseDeliveryReport } from "../../domain/delivery/DeliveryReport.ts"
import { isReportedInTime, readReturnPath } from "../../domain/delivery/ReturnPath.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { DeliveryId } from "../../domain/value/Id.ts"
import { DeliveryNotFound } from "../../domain/message/MessageFailure.ts"
import { eventClockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { keyedAddressOf } from "../../internal/contact/keyedAddress.ts"
import { tokenVerifier } from "../../internal/delivery/tokenVerifier.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { recordMetric } from "../../telemetry/metrics.ts"
import { Secrets } from "../access/Secrets.ts"

/** What became of a report that came by mail. `unmatched`: the return path is not ours, is forged or has expired. */
export type ReceivedReport =
  | ({ readonly projectId: ProjectId; readonly deliveryId: string } & RecordedReport)
  | { readonly outcome: "unmatched" }

/**
 * Takes delivery reports: bounces, deliveries and complaints. The status, the event and the suppression of the recipient are one commit. Reports may arrive late, twice
 * and in any order: a complaint outranks a bounce, a bounce outranks a delivery.
 *
 * A hard bounce of an unknown mailbox or domain and a complaint suppress the address in the project. A bounce after temporary failures suppresses
 * it for 30 days; a full mailbox does not suppress.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Feedback } from "@mailkeep/core"
 *
 * // A provider's webhook says that a mailbox does not exist.
 * export const mailboxUnknown = (deliveryId: string) =>
 *   Effect.flatMap(Feedback, (feedback) =>
 *     feedback.report("prj_acme", deliveryId, { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: "User unknown" })
 *   )
 * ```
 */
export class Feedback extends Context.Service<
  Feedback,
  {
    /**
     * Records a report from a source that the program trusts, such as the signed webhook of a provider. Fails with `DeliveryNotFound` when the
     * project has no delivery with this id, and with `InvalidArgument` when the report is not valid.
     */
    readonly report: (
      caller: Caller,
      deliveryId: string,
      report: DeliveryReport
    ) => Effect.Effect<RecordedReport, InvalidArgument | DeliveryNotFound | StoreUnavailable>
    /**
     * Records a report that came by mail to a return path. Only a return path with a valid signature lets a report change anything. Fails with
     * `InvalidArgument` when the report is not valid.
     */
    readonly receive: (
      returnPath: string,
      report: DeliveryReport
    ) => Effect.Effect<ReceivedReport, InvalidArgument | StoreUnavailable>
    /**
     * Whether a report to this address can change a delivery: its signature is valid, and it has not expired. Also `true` when the store cannot be
     * asked about an old address; `receive` then fails.
     */
    readonly isReturnPath: (address: string) => Effect.Effect<boolean>
  }
>()("@mailkeep/core/service/Feedback") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Feedback,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const ids = yield* IdSource
      const { addressKey, signer } = yield* Secrets
      const verifier = tokenVerifier(yield* Crypto, signer, "return-path")

      const factsOf = (known: Delivery) =>
        Effect.gen(function* () {
          const { projectId, id, address } = known
          const clock = yield* eventClockFacts(ids)
          const keyedAddress = keyedAddressOf(addressKey, projectId, address)
          return Effect.map(
            store.read([
              { _tag: "Delivery", projectId, id },
              { _tag: "Attempts", projectId, deliveryId: id },
              { _tag: "Suppressions", projectId, addressKeys: [keyedAddress.addressKey] }
            ]),
            ([delivery, attempts, [suppression]]): RecordReportFacts => ({
              ...clock,
              // When a sweep has deleted the delivery since, the commit finds no record, and the next call finds no delivery.
              delivery: delivery ?? known,
              attempt: attempts.at(-1) ?? null,
              keyedAddress,
              suppression: suppression!
            })
          )
        })

      const record = (delivery: Delivery, report: ValidDeliveryReport) =>
        Effect.flatMap(factsOf(delivery), (load) =>
          commit(load, (facts) => Result.succeed(recordReport(report, facts)), "bounded")
        ).pipe(Effect.tap(({ outcome }) => recordMetric("mailkeep_reports_total", { kind: report.kind, outcome }, 1)))

      const unmatched = ({ kind }: ValidDeliveryReport) =>
        Effect.as(recordMetric("mailkeep_reports_total", { kind, outcome: "unmatched" }, 1), {
          outcome: "unmatched"
        } as const)

      const report = Effect.fn("Feedback.report")(function* (
        caller: Caller,
        deliveryId: string,
        input: DeliveryReport
      ) {
        const projectId = yield* validProject(caller, { deliveryId })
        const valid = yield* validated(parseDeliveryReport, input)
        const [delivery] = yield* store.read([{ _tag: "Delivery", projectId, id: deliveryId }])
        if (delivery === null) return yield* new DeliveryNotFound({ deliveryId })
        return yield* record(delivery, valid)
      })

      /** Reads the delivery with this id, if a report can still change it. */
      const reportable = (id: DeliveryId): Effect.Effect<Delivery | null, StoreUnavailable> =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [delivery] = yield* store.read([{ _tag: "DeliveryById", id }])
          return delivery !== null && isReportedInTime(delivery, now) ? delivery : null
        })

      const receive = Effect.fn("Feedback.receive")(function* (
        returnPath: string,
        input: DeliveryReport
      ): Effect.fn.Return<ReceivedReport, InvalidArgument | StoreUnavailable> {
        const valid = yield* validated(parseDeliveryReport, input)
        const deliveryId = readReturnPath(returnPath, verifier)
        const delivery = deliveryId === undefined ? null : yield* reportable(deliveryId)
        if (deliveryId === undefined || delivery === null) return yield* unmatched(valid)
        return { projectId: delivery.projectId, deliveryId, ...(yield* record(delivery, valid)) }
      })

      const isReturnPath = (address: string): Effect.Effect<boolean> =>
        Effect.gen(function* () {
          const id = readReturnPath(address, verifier)
          if (id === undefined) return false
          // Most reports come soon, and need no read of the store.
          if (isReportedInTime({ id, queuedAt: null }, yield* Clock.currentTimeMillis)) return true
          return yield* Effect.match(reportable(id), {
            onFailure: () => true,
            onSuccess: (delivery) => delivery !== null
          })
        })

      return { report, receive, isReturnPath }
    })
  )
}
