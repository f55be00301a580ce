/**
 * The request that suppresses an address.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import { suppressionReasons } from "./Suppression.ts"
import { Mailbox } from "./TextRule.ts"

/** Over HTTP an address is suppressed by hand alone; the other reasons come of what happened. */
export const AddSuppressionBody = Schema.Struct({
  email: Mailbox,
  reason: Schema.Literals(["manual"]).annotate(says("invalid_value", "must be manual"))
}).annotate({ identifier: "AddSuppressionRequest" })
export const parseAddSuppression = decoder(AddSuppressionBody)

/** In process any reason may be added or lifted. */
export const parseSuppressionChange = decoder(
  Schema.Struct({
    email: Mailbox,
    reason: Schema.Literals(suppressionReasons).annotate(
      says("invalid_value", `must be one of ${suppressionReasons.join(", ")}`)
    )
  })
)
