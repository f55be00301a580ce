/**
 * The choice of the outcome of the next hand-off to an address.
 */
import type { NextOutcome } from "@mailkeep/core/binding"
import { nextOutcomes } from "@mailkeep/core/binding"
import type { Markup } from "./markup.ts"
import { markup } from "./markup.ts"

const labels: Readonly<Record<NextOutcome, string>> = {
  deferred: "deferred, then retried",
  refused: "refused",
  ambiguous: "ambiguous: the reply is lost",
  accepted: "accepted by a relay",
  delivered: "delivered"
}

const order: ReadonlyArray<NextOutcome> = ["deferred", "refused", "ambiguous", "accepted", "delivered"]

/** The choice and its button. */
export const nextOutcomeFields: Markup = markup`<div class="narrow"><label for="outcome">Outcome</label><select id="outcome" name="outcome">
${order.map((outcome) => markup`<option value="${outcome}">${labels[outcome]}</option>`)}</select></div><button>Set</button>`

/** The outcome of this name. */
export const nextOutcomeOf = (name: string | null): NextOutcome | undefined =>
  nextOutcomes.find((outcome) => outcome === name)
