/**
 * The validation of a subscription in this process.
 */
import type { Result } from "effect"
import { Schema } from "effect"
import type { Issue } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import { lineOf } from "../value/TextRule.ts"
import { EventKinds } from "../webhook/WebhookInput.ts"
import { eventKinds } from "./MailEvent.ts"

const nameCharactersMax = 100

const Handler = Schema.Unknown.check(
  Schema.makeFilter((handler) => typeof handler === "function", says("invalid_type", "must be a function"))
)

const Name = lineOf({ min: 1, max: nameCharactersMax })

const SubscriptionInput = Schema.Struct({
  name: Name,
  kinds: EventKinds,
  handler: Handler
})

declare const valid: unique symbol

/** The validated name, kinds and handler of a subscription. Only `parseSubscription` makes it. */
export type ValidSubscription = typeof SubscriptionInput.Type & { readonly [valid]: "Subscription" }

const decode = decoder(SubscriptionInput, { kinds: eventKinds.length })

/** Checks the name of a subscription. */
export const parseSubscriptionName = decoder(Schema.Struct({ name: Name }))

/** Checks a subscription before anything is stored, because a subscription without a handler would only fail. */
export const parseSubscription = (input: unknown) =>
  decode(input) as Result.Result<ValidSubscription, ReadonlyArray<Issue>>
