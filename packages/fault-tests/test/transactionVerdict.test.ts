/**
 * The verdict on a product that was killed in its transactions reports each mail that is lost, doubled or sent without a commit.
 */
import { describe, expect, it } from "vitest"
import type { TransactionsLeft } from "../src/transactions/transactionVerdict.ts"
import { transactionFailures } from "../src/transactions/transactionVerdict.ts"

const ada = { id: "d1", recipient: "ada@example.org" }

const left = (change: Partial<TransactionsLeft>): TransactionsLeft => ({
  committed: new Set([ada.recipient]),
  deliveries: [ada],
  received: new Set([ada.id]),
  outboxRows: 0,
  ...change
})

describe("transactionFailures", () => {
  it("finds nothing when each committed order was sent once", () => {
    expect(transactionFailures(left({}))).toEqual([])
  })

  it.each([
    ["a mail whose transaction rolled back", left({ committed: new Set() }), "its transaction did not commit"],
    ["a committed order without a mail", left({ deliveries: [] }), "committed, but never sent"],
    ["a second mail for one order", left({ deliveries: [ada, { ...ada, id: "d2" }] }), "sent 2 times"],
    ["a mail that never reached the relay", left({ received: new Set() }), "the relay has no copy"],
    ["a row that stays in the outbox", left({ outboxRows: 3 }), "3 rows are still in the outbox"]
  ])("reports %s", (_, found, sentence) => {
    expect(transactionFailures(found)).toEqual([expect.stringContaining(sentence)])
  })
})
