/**
 * Tests of the kinds of recipients.
 */
import fc from "fast-check"
import { addressParser } from "postal-mime"
import { describe, expect, it } from "vitest"
import { recipientsOf } from "../../src/submission/recipients.ts"

const header = (to: string, cc = "") => ({ to: addressParser(to), cc: addressParser(cc) })

describe("recipientsOf", () => {
  const [a, b, c] = ["a@x.example", "b@x.example", "c@x.example"]

  it.each<[name: string, envelope: ReadonlyArray<string>, to: string, cc: string, recipients: object, shown: object]>([
    ["one recipient in To", [a], a, "", { to: [a] }, { to: [a], cc: [] }],
    [
      "the case of the envelope and of the header",
      ["A@x.example"],
      "a@X.example",
      "",
      { to: ["A@x.example"] },
      { to: ["a@X.example"], cc: [] }
    ],
    ["two addresses of To", [b, a], `${a}, ${b}`, "", { to: [b, a] }, { to: [a, b], cc: [] }],
    ["Cc", [a, b], a, b, { to: [a], cc: [b] }, { to: [a], cc: [b] }],
    ["an address in To and Cc", [a, b], a, `${a}, ${b}`, { to: [a], cc: [b] }, { to: [a], cc: [a, b] }],
    ["hidden recipients", [a, b], a, "", { to: [a], bcc: [b] }, { to: [a], cc: [] }],
    ["a recipient only in Cc", [b, c], a, b, { to: [b], bcc: [c] }, { to: [a], cc: [b] }],
    ["an address of To in another transaction", [b], `${a}, ${b}`, "", { to: [b] }, { to: [a, b], cc: [] }],
    ["members of a group", [a], `Team: ${a}, ${b};`, "", { to: [a] }, { to: [a, b], cc: [] }],
    ["a repeated recipient once", [a, "a@X.example"], a, "", { to: ["a@X.example"] }, { to: [a], cc: [] }]
  ])("gives %s", (_, envelope, to, cc, recipients, shown) => {
    expect(recipientsOf(envelope, header(to, cc))).toEqual({ recipients, shown })
  })

  it.each(["undisclosed-recipients:;", "", "no address"])("makes separate copies when To is %j", (to) => {
    expect(recipientsOf([a, b], header(to))).toEqual({ recipients: { to: [a, b] }, shown: undefined })
  })

  it("gives each recipient of the envelope one kind, and shows no recipient that the client hides", () => {
    const address = fc.constantFrom(a, b, c, "d@x.example")
    const list = fc.array(address, { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 6 }), list, list, (envelope, to, cc) => {
        const { recipients, shown } = recipientsOf(envelope, header(to.join(", "), cc.join(", ")))
        const all = [...recipients.to, ...(recipients.cc ?? []), ...(recipients.bcc ?? [])]
        expect(all.toSorted()).toEqual([...new Set(envelope)].toSorted())
        const visible = [...(shown?.to ?? []), ...(shown?.cc ?? [])]
        const listed = new Set<string>([...to, ...cc])
        expect(visible.every((one) => listed.has(one))).toBe(true)
        expect(shown === undefined).toBe(to.length === 0)
      })
    )
  })
})
