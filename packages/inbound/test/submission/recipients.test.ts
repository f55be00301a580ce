/**
 * Tests of the kinds of recipients.
 */
import fc from "fast-check"
import { addressParser } from "postal-mime"
import { describe, expect, it } from "vitest"
import { recipientsOf } from "../../src/submission/recipients.ts"

const header = (to: string, cc = "") => ({ to: addressParser(to), cc: addressParser(cc) })

describe("recipientsOf", () => {
  it.each([
    ["one recipient in To", ["a@x.example"], "a@x.example", "", { to: ["a@x.example"] }],
    ["the case of the envelope", ["A@x.example"], "a@X.example", "", { to: ["A@x.example"] }],
    [
      "the second address of To as cc",
      ["b@x.example", "a@x.example"],
      "a@x.example, b@x.example",
      "",
      {
        to: ["b@x.example"],
        cc: ["a@x.example"]
      }
    ],
    ["Cc", ["a@x.example", "b@x.example"], "a@x.example", "b@x.example", { to: ["a@x.example"], cc: ["b@x.example"] }],
    [
      "an address in To and Cc",
      ["a@x.example", "b@x.example"],
      "a@x.example",
      "a@x.example, b@x.example",
      {
        to: ["a@x.example"],
        cc: ["b@x.example"]
      }
    ],
    [
      "hidden recipients",
      ["a@x.example", "b@x.example"],
      "a@x.example",
      "",
      { to: ["a@x.example"], bcc: ["b@x.example"] }
    ],
    ["only Cc", ["b@x.example", "c@x.example"], "", "b@x.example", { to: ["b@x.example"], bcc: ["c@x.example"] }],
    [
      "separate copies if no recipient is visible",
      ["a@x.example", "b@x.example"],
      "undisclosed-recipients:;",
      "",
      {
        to: ["a@x.example", "b@x.example"]
      }
    ],
    ["no address that is only in To", ["b@x.example"], "a@x.example, b@x.example", "", { to: ["b@x.example"] }],
    ["members of a group", ["a@x.example"], "Team: a@x.example, b@x.example;", "", { to: ["a@x.example"] }],
    ["a repeated recipient once", ["a@x.example", "a@X.example"], "a@x.example", "", { to: ["a@X.example"] }]
  ])("gives %s", (_, envelope, to, cc, expected) => {
    expect(recipientsOf(envelope, header(to, cc))).toEqual(expected)
  })

  it("gives each recipient of the envelope one kind, and shows no recipient that the client hides", () => {
    const address = fc.constantFrom("a@x.example", "b@x.example", "c@x.example", "d@x.example")
    const list = fc.array(address, { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 6 }), list, list, (envelope, to, cc) => {
        const kinds = recipientsOf(envelope, header(to.join(", "), cc.join(", ")))
        const all = [...kinds.to, ...(kinds.cc ?? []), ...(kinds.bcc ?? [])]
        expect(all.toSorted()).toEqual([...new Set(envelope)].toSorted())
        const shown = kinds.to.length > 1 ? [] : [...kinds.to, ...(kinds.cc ?? [])]
        const listed = new Set<string>([...to, ...cc])
        const hidden = shown.filter((one) => !listed.has(one))
        // The only recipient of a message without visible recipients sees its own address.
        expect(hidden.length === 0 || all.length === 1).toBe(true)
      })
    )
  })
})
