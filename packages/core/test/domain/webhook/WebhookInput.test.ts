import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { eventKinds } from "../../../src/domain/event/MailEvent.ts"
import { parseCreateWebhook, parseUpdateWebhook } from "../../../src/domain/webhook/WebhookInput.ts"
import { webhookUrlRules } from "../../../src/domain/webhook/WebhookUrl.ts"

const rules = webhookUrlRules()
const url = "https://hooks.example.net/a"

/** The code of each issue by its path. */
const issuesOf = (parsed: ReturnType<ReturnType<typeof parseUpdateWebhook>>) =>
  Result.isSuccess(parsed) ? {} : Object.fromEntries(parsed.failure.map(({ path, code }) => [path.join("."), code]))

describe("parseCreateWebhook and parseUpdateWebhook", () => {
  it.each([
    [{ url }, { url }],
    [{ url, events: undefined, description: undefined }, { url }],
    [
      { url, events: ["email.bounced"], description: "Orders" },
      { url, events: ["email.bounced"], description: "Orders" }
    ]
  ])("allows a new webhook with the input %j", (input, valid) =>
    expect(Result.getOrThrow(parseCreateWebhook(rules)(input))).toEqual(valid)
  )

  it.each([
    [undefined, { "": "invalid_type" }],
    [{}, { url: "required" }],
    [{ url: "nonsense" }, { url: "invalid_value" }],
    [{ url: "https://10.0.0.1/" }, { url: "invalid_value" }],
    [{ url: `https://hooks.example.net/${"a".repeat(2000)}` }, { url: "too_long" }],
    [{ url, events: [] }, { events: "too_short" }],
    [{ url, events: ["zzz"] }, { "events.0": "invalid_value" }],
    [{ url, events: [...eventKinds, "email.bounced"] }, { events: "too_many_items" }],
    [{ url, description: "a\nb" }, { description: "invalid_value" }],
    [{ url, status: "enabled" }, { status: "unknown_field" }]
  ])("refuses a new webhook with the input %j", (input, issues) =>
    expect(issuesOf(parseCreateWebhook(rules)(input) as never)).toEqual(issues)
  )

  it.each([
    [{ status: "enabled" }, {}],
    [{}, {}],
    [{ url: "http://hooks.example.net/" }, { url: "invalid_value" }],
    [{ status: "zzz" }, { status: "invalid_value" }]
  ])("finds the issues of a change with the input %j", (input, issues) =>
    expect(issuesOf(parseUpdateWebhook(rules)(input))).toEqual(issues)
  )
})
