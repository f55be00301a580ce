/**
 * What `recordReport` keeps true for every sequence of reports about a delivery.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import { deliveryStatuses } from "../../../src/domain/delivery/DeliveryStatus.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { facts, recorded, rows } from "./recordReportFacts.ts"

const reports = fc.constantFrom<DeliveryReport>(...rows.map(([, report]) => report))

describe("recordReport, for every sequence of reports", () => {
  it("ends in the same status for every order and repetition", () => {
    const orders = fc
      .array(reports, { minLength: 1, maxLength: 6 })
      .chain((all) => fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.constant(all)))
    const statusAfter = (all: ReadonlyArray<DeliveryReport>) =>
      all.reduce((at, report) => recorded(report, at).after, facts()).delivery.status
    fc.assert(
      fc.property(orders, fc.nat(5), ([shuffled, all], again) => {
        expect(statusAfter([...shuffled, shuffled[again % shuffled.length]!])).toBe(statusAfter(all))
      })
    )
  })

  it("changes nothing when the last report is repeated", () => {
    fc.assert(
      fc.property(fc.constantFrom(...deliveryStatuses), reports, (status, report) => {
        const { after } = recorded(report, facts({ status }))
        expect(recorded(report, after).changes).toEqual([])
      })
    )
  })

  it("writes changes that one commit can hold", () => {
    fc.assert(
      fc.property(fc.constantFrom(...deliveryStatuses), reports, (status, report) => {
        expect(() => inCommitOrder(recorded(report, facts({ status })).changes)).not.toThrow()
      })
    )
  })
})
