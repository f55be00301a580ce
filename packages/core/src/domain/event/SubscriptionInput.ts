/**
 * The validation of a subscription in this process.
 */
import type { Result } from "effect"
import { Schema } from "effect"
import type { Issue } from "../value/Issue.ts"
import { decoder } from "../value/Issue.ts"
import { lineOf } from "../value/TextRule.ts"
import { EventKinds } from "../webhook/WebhookInput.ts"
import { eventKinds } from "./MailEvent.ts"

const nameCharactersMax = 100

const SubscriptionInput = Schema.Struct({ name: lineOf({ min: 1, max: nameCharactersMax }), kinds: EventKinds })

declare const valid: unique symbol

/** The validated name and kinds of a subscription. Only `parseSubscription` makes it. */
export type ValidSubscription = typeof SubscriptionInput.Type & { readonly [valid]: "Subscription" }

const decode = decoder(SubscriptionInput, { kinds: eventKinds.length })

export const parseSubscription = (input: unknown) =>
  decode(input) as Result.Result<ValidSubscription, ReadonlyArray<Issue>>
