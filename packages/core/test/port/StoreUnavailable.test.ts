/**
 * The messages of `StoreUnavailable`, which a product logs as they are.
 */
import { describe, expect, it } from "vitest"
import { storeUnavailableReasons } from "../../src/domain/store/Conflict.ts"
import { StoreUnavailable } from "../../src/index.ts"

describe("StoreUnavailable", () => {
  it.each(storeUnavailableReasons)("says in two sentences what is wrong and what to do for the reason %s", (reason) => {
    const { message } = new StoreUnavailable({ reason })
    expect(message).toMatch(/^The [a-z][^.:_]+\. [A-Z][^.:_]+\.$/)
  })

  it("has its own message for each reason", () => {
    const messages = storeUnavailableReasons.map((reason) => new StoreUnavailable({ reason }).message)
    expect(new Set(messages).size).toBe(storeUnavailableReasons.length)
  })

  it("prefers the sentence of the store", () => {
    expect(new StoreUnavailable({ reason: "full", detail: "The server has no space left." }).message).toBe(
      "The server has no space left."
    )
  })
})
