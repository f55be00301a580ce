/**
 * The inputs that change and list suppressions.
 */
import { Result, Schema } from "effect"
import { addressPartOf } from "../message/Address.ts"
import type { CursorInput, CursorRequest } from "../store/Paging.ts"
import { cursorFields, cursorOrDefault, SearchText } from "../store/PagingRequest.ts"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import { Mailbox } from "../value/TextRule.ts"
import { suppressionReasons } from "./Suppression.ts"

/** Selects one page of suppressions. */
export interface ListSuppressionsInput extends CursorInput {
  /**
   * A part of the address, at most 255 characters. Ignores case. A domain in Unicode finds the addresses with its A-labels, by whole labels. An absent
   * search, `undefined` or `null` selects all suppressions.
   */
  readonly search?: string | null | undefined
}

declare const valid: unique symbol

const ReasonChange = Schema.Struct({
  email: Mailbox,
  reason: Schema.Literals(suppressionReasons).annotate(
    says("invalid_value", `must be one of ${suppressionReasons.join(", ")}`)
  )
})
/** An address and a reason that `parseReasonChange` has checked. */
export type ValidReasonChange = typeof ReasonChange.Type & { readonly [valid]: "reason" }
export const parseReasonChange = decoder(ReasonChange) as Parser<ValidReasonChange>

const decodeListing = decoder(Schema.Struct({ search: Schema.optionalKey(SearchText), ...cursorFields }))

export const parseSuppressionListing: Parser<
  CursorRequest & { readonly search: string | null; readonly addressPart: string | null }
> = (input) =>
  Result.map(decodeListing(input), ({ search = null, ...page }) => ({
    search,
    addressPart: addressPartOf(search),
    ...cursorOrDefault(page)
  }))
