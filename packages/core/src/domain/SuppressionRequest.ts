/**
 * The requests that suppress an address or change its reasons.
 */
import { Schema } from "effect"
import { decoder, says } from "./Issue.ts"
import { suppressionReasons } from "./Suppression.ts"
import { Mailbox } from "./TextRule.ts"

/** Over HTTP, only the reason `manual` can be added. Mailkeep adds the other reasons itself. */
export const AddSuppressionBody = Schema.Struct({
  email: Mailbox,
  reason: Schema.Literals(["manual"]).annotate(says("invalid_value", "must be manual"))
}).annotate({ identifier: "AddSuppressionRequest" })
export const parseAddSuppression = decoder(AddSuppressionBody)

/** In process, each reason can be added or removed. */
export const parseSuppressionChange = decoder(
  Schema.Struct({
    email: Mailbox,
    reason: Schema.Literals(suppressionReasons).annotate(
      says("invalid_value", `must be one of ${suppressionReasons.join(", ")}`)
    )
  })
)
