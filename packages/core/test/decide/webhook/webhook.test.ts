import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { createWebhook, rotateWebhookSecret, updateWebhook } from "../../../src/decide/webhook/webhook.ts"
import { deleteResource } from "../../../src/decide/store/resource.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import type { UpdateWebhookInput } from "../../../src/domain/webhook/WebhookInput.ts"
import { parseCreateWebhook, parseUpdateWebhook } from "../../../src/domain/webhook/WebhookInput.ts"
import { webhookUrlRules } from "../../../src/domain/webhook/WebhookUrl.ts"
import { ids, now, webhook } from "../fixtures.ts"

const rules = webhookUrlRules()
const url = "https://hooks.example.net/a"
const validCreate = (input: object = {}) => Result.getOrThrow(parseCreateWebhook(rules)({ url, ...input }))
const validUpdate = (input: UpdateWebhookInput) => Result.getOrThrow(parseUpdateWebhook(rules)(input))
const newFacts = { now, ids, projectId: "prj_test", count: 0, encryptedSecret: "secret" }
const notFound = { _tag: "RecordNotFound", record: "webhook", id: "whk_1" }

describe("createWebhook", () => {
  it("makes an enabled webhook with the four default kinds and one secret", () => {
    const { changes, answer } = Result.getOrThrow(createWebhook(validCreate(), newFacts))
    expect(answer).toEqual({
      id: expect.stringMatching(/^whk_/),
      projectId: "prj_test",
      kind: "webhook",
      parent: "",
      name: null,
      content: {
        url,
        events: ["email.delivered", "email.bounced", "email.failed", "contact.unsubscribed"],
        description: "",
        status: "enabled",
        failingSince: null,
        secrets: [{ encrypted: "secret", until: null }]
      },
      createdAt: now,
      updatedAt: now,
      revision: 1
    })
    expect(changes).toEqual([{ _tag: "PutResource", resource: answer, replaces: null }])
  })

  it("takes the kinds and the description of the input", () => {
    const input = { events: ["domain.failed"], description: "Orders" }
    expect(Result.getOrThrow(createWebhook(validCreate(input), newFacts)).answer.content).toMatchObject(input)
  })

  it("refuses a webhook when the project has 50 webhooks", () => {
    expect(Result.isSuccess(createWebhook(validCreate(), { ...newFacts, count: 49 }))).toBe(true)
    expect(Result.getOrThrow(Result.flip(createWebhook(validCreate(), { ...newFacts, count: 50 })))).toMatchObject({
      _tag: "TooManyRecords",
      record: "webhook",
      max: 50
    })
  })
})

describe("updateWebhook", () => {
  it.each<[UpdateWebhookInput, object]>([
    [{}, {}],
    [{ description: "Orders" }, { description: "Orders" }],
    [{ description: "" }, { description: "" }],
    [{ events: ["domain.failed"] }, { events: ["domain.failed"] }],
    [{ status: "disabled" }, { status: "disabled" }],
    [{ status: "enabled" }, { status: "enabled", failingSince: null }],
    [{ url: "https://hooks.example.net/b" }, { url: "https://hooks.example.net/b", failingSince: null }],
    [{ url: undefined, status: undefined }, {}]
  ])("changes a failing webhook as %j says, guarded by its revision", (input, change) => {
    const existing = webhook({ revision: 3 }, { failingSince: now - 1, description: "Mail" })
    const { changes, answer } = Result.getOrThrow(
      updateWebhook(validUpdate(input), { now: now + 1, id: "whk_1", existing })
    )
    expect(answer).toEqual({
      ...existing,
      content: { ...existing.content, ...change },
      updatedAt: now + 1,
      revision: 4
    })
    expect(changes).toEqual([{ _tag: "PutResource", resource: answer, replaces: 3 }])
  })

  it("fails when the project has no webhook with the id", () =>
    expect(
      Result.getOrThrow(Result.flip(updateWebhook(validUpdate({}), { now, id: "whk_1", existing: null })))
    ).toMatchObject(notFound))
})

describe("rotateWebhookSecret", () => {
  const rotate = (existing: ReturnType<typeof webhook> | null) =>
    rotateWebhookSecret({ now, id: "whk_1", existing, encryptedSecret: "new" })

  it.each([
    ["one secret", [{ encrypted: "first", until: null }], [{ encrypted: "first", until: now + dayMillis }]],
    [
      "an older secret that still signs, which it keeps until then",
      [
        { encrypted: "second", until: null },
        { encrypted: "first", until: now + 1 }
      ],
      [
        { encrypted: "second", until: now + dayMillis },
        { encrypted: "first", until: now + 1 }
      ]
    ],
    [
      "an older secret that no longer signs, which it removes",
      [
        { encrypted: "second", until: null },
        { encrypted: "first", until: now }
      ],
      [{ encrypted: "second", until: now + dayMillis }]
    ],
    [
      "as many secrets as it may have, and removes the oldest",
      [{ encrypted: "5", until: null }, ...["4", "3", "2", "1"].map((encrypted) => ({ encrypted, until: now + 1 }))],
      [
        { encrypted: "5", until: now + dayMillis },
        ...["4", "3", "2"].map((encrypted) => ({ encrypted, until: now + 1 }))
      ]
    ],
    ["no secret", [], []]
  ])("adds a secret, and lets the previous one sign for 24 hours, when the webhook has %s", (_, secrets, kept) => {
    const existing = webhook({}, { secrets })
    const { answer, changes } = Result.getOrThrow(rotate(existing))
    expect(answer.content.secrets).toEqual([{ encrypted: "new", until: null }, ...kept])
    expect(changes).toEqual([{ _tag: "PutResource", resource: answer, replaces: existing.revision }])
  })

  it("fails when the project has no webhook with the id", () =>
    expect(Result.getOrThrow(Result.flip(rotate(null)))).toMatchObject(notFound))
})

describe("deleteResource, of a webhook", () => {
  it("removes the webhook, guarded by its revision", () =>
    expect(Result.getOrThrow(deleteResource("webhook", "whk_1", webhook({ revision: 3 })))).toEqual({
      answer: null,
      changes: [{ _tag: "RemoveResource", projectId: "prj_test", id: "whk_1", revision: 3 }]
    }))

  it("fails when the project has no webhook with the id", () =>
    expect(Result.getOrThrow(Result.flip(deleteResource("webhook", "whk_1", null)))).toMatchObject(notFound))
})
