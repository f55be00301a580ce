/**
 * The input of `Webhooks.create` and `Webhooks.update`, and its validation. Source: decision 0028.
 */
import { Schema } from "effect"
import type { EventKind } from "../event/MailEvent.ts"
import { eventKinds } from "../event/MailEvent.ts"
import { isFields } from "../value/Fields.ts"
import type { Issue, Parser } from "../value/Issue.ts"
import { decoder, issue, says, withRules } from "../value/Issue.ts"
import { lineOf, textOf } from "../value/TextRule.ts"
import type { WebhookStatus } from "./Webhook.ts"
import { webhookStatuses } from "./Webhook.ts"
import type { WebhookUrlRules } from "./WebhookUrl.ts"
import { webhookUrlCharactersMax, webhookUrlProblem } from "./WebhookUrl.ts"

/** A new webhook. */
export interface CreateWebhookInput {
  /** An `https` URL of at most 2,000 characters with a public host and an allowed port. */
  readonly url: string
  /** The kinds of events to send. Default: `email.delivered`, `email.bounced`, `email.failed` and `contact.unsubscribed`. */
  readonly events?: ReadonlyArray<EventKind> | undefined
  /** At most 500 characters on one line. Default: empty. */
  readonly description?: string | undefined
}

/** The changes of a webhook. An absent field does not change. */
export interface UpdateWebhookInput {
  /** A new URL also ends the count of failures. */
  readonly url?: string | undefined
  /** At least one kind of event. */
  readonly events?: ReadonlyArray<EventKind> | undefined
  /** At most 500 characters on one line. */
  readonly description?: string | undefined
  /** `enabled` also ends the count of failures. */
  readonly status?: WebhookStatus | undefined
}

const descriptionCharactersMax = 500

const Url = textOf({ min: 1, max: webhookUrlCharactersMax })

const urlDescription =
  "`url` has a public host and the port 443 or 8443, unless the operator has other rules. It begins with `https`."

/** A list of at least one kind of event. */
export const EventKinds = Schema.Array(
  Schema.Literals(eventKinds).annotate(says("invalid_value", `must be one of ${eventKinds.join(", ")}`))
).check(
  Schema.isMinLength(1, says("too_short", "must name at least one kind of event")),
  Schema.isMaxLength(eventKinds.length, says("too_many_items", `must name at most ${eventKinds.length} kinds of event`))
)

/** The schema of `CreateWebhookInput`. */
export const CreateWebhookBody = Schema.Struct({
  url: Url,
  events: Schema.optionalKey(EventKinds),
  description: Schema.optionalKey(lineOf({ max: descriptionCharactersMax }))
}).annotate({ identifier: "CreateWebhookRequest", description: urlDescription })

/** The schema of `UpdateWebhookInput`. */
export const UpdateWebhookBody = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(EventKinds),
  description: Schema.optionalKey(lineOf({ max: descriptionCharactersMax })),
  status: Schema.optionalKey(
    Schema.Literals(webhookStatuses).annotate(says("invalid_value", "must be enabled or disabled"))
  )
}).annotate({ identifier: "UpdateWebhookRequest", description: urlDescription })

declare const valid: unique symbol

/** The validated input of `Webhooks.create`. Only `parseCreateWebhook` makes it. */
export type ValidCreateWebhook = typeof CreateWebhookBody.Type & { readonly [valid]: "CreateWebhook" }
/** The validated input of `Webhooks.update`. Only `parseUpdateWebhook` makes it. */
export type ValidUpdateWebhook = typeof UpdateWebhookBody.Type & { readonly [valid]: "UpdateWebhook" }

const decodeCreate = decoder(CreateWebhookBody, { events: eventKinds.length })
const decodeUpdate = decoder(UpdateWebhookBody, { events: eventKinds.length })

/** The issue of a URL that the rules do not allow. A URL of another form has an issue of the schema. */
const urlIssues =
  (rules: WebhookUrlRules) =>
  (input: unknown): ReadonlyArray<Issue> => {
    const url = isFields(input) ? input["url"] : undefined
    if (typeof url !== "string" || url === "" || url.length > webhookUrlCharactersMax) return []
    const problem = webhookUrlProblem(url, rules)
    return problem === undefined ? [] : [issue(["url"], "invalid_value", problem)]
  }

/** Validates the input by its form, and the URL by the rules for URLs of webhooks. */
export const parseCreateWebhook = (rules: WebhookUrlRules): Parser<ValidCreateWebhook> =>
  withRules(decodeCreate, urlIssues(rules)) as Parser<ValidCreateWebhook>

/** Validates the input by its form, and a new URL by the rules for URLs of webhooks. */
export const parseUpdateWebhook = (rules: WebhookUrlRules): Parser<ValidUpdateWebhook> =>
  withRules(decodeUpdate, urlIssues(rules)) as Parser<ValidUpdateWebhook>
