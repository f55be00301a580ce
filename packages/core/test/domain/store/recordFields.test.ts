import { describe, expect, it } from "vitest"
import { freshAttempt, freshState } from "../../../src/domain/delivery/Delivery.ts"
import { recordFields, stateFields } from "../../../src/domain/store/recordFields.ts"
import { recordKinds } from "../../../src/domain/store/StoredRecord.ts"

describe("recordFields", () => {
  it("has every kind of record that fits into columns", () => {
    const others = ["Setting", "Content", "Lease"]
    expect(Object.keys(recordFields)).toEqual(
      expect.arrayContaining(recordKinds.filter((kind) => !others.includes(kind)))
    )
    expect(Object.keys(recordFields)).toHaveLength(recordKinds.length - others.length)
  })

  it("gives each field one of four kinds", () => {
    const kinds = new Set(Object.values(recordFields).flatMap((fields) => Object.values<string>(fields)))
    expect([...kinds].toSorted()).toEqual(["boolean", "integer", "json", "text"])
  })

  it("includes each field that a transition changes", () => {
    expect([...stateFields.Delivery].toSorted()).toEqual(Object.keys(freshState).toSorted())
    expect([...stateFields.Attempt].toSorted()).toEqual(Object.keys(freshAttempt).toSorted())
    for (const kind of ["Delivery", "Attempt", "EventDelivery"] as const)
      expect(Object.keys(recordFields[kind])).toEqual(expect.arrayContaining([...stateFields[kind]]))
  })
})
