/**
 * The bodies of webhooks in the OpenAPI document, compared with the bodies that the core makes.
 */
import { bodyValidator } from "@mailkeep/test-support/apiDocument"
import type { ApiDocument } from "@mailkeep/test-support/apiDocument"
import { OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import type { WebhookBodyOf } from "../../core/src/domain/event/WebhookBody.ts"
import { webhookBody } from "../../core/src/domain/event/WebhookBody.ts"
import type { EventKind, MailEvent } from "../../core/src/domain/event/MailEvent.ts"
import { eventKinds } from "../../core/src/domain/event/MailEvent.ts"
import { MailApi } from "../src/index.ts"

type Node = Readonly<Record<string, unknown>>

interface Webhook {
  readonly post: {
    readonly parameters: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly requestBody: {
      readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } }
    }
    readonly responses: Readonly<Record<string, unknown>>
  }
}

const document = OpenApi.fromApi(MailApi) as unknown as ApiDocument & {
  readonly webhooks: Readonly<Record<string, Webhook>>
}
const problemOf = bodyValidator(document)

const schemaNameOf = (kind: string): string =>
  document.webhooks[kind]!.post.requestBody.content["application/json"].schema.$ref.split("/").at(-1)!

const delivery = {
  deliveryId: "del_1",
  messageId: "msg_1",
  recipient: "ada@example.org",
  contactId: null,
  status: "delivered",
  previousStatus: null,
  reason: null,
  sequence: 1,
  subject: "Order 7",
  templateId: "tpl_1",
  source: "api",
  metadata: { order: 7 }
} as const

const contact = {
  id: "con_1",
  email: "ada@example.org",
  userId: null,
  firstName: "Ada",
  lastName: "",
  phoneNumber: null,
  emailStatus: "unsubscribed",
  source: "manual",
  createdAt: 0,
  updatedAt: 0
} as const

const dataOf = (kind: EventKind): unknown => {
  if (kind === "email.bounced") {
    const bounce = { type: "hard", smtpCode: 550, enhancedCode: "5.1.1", message: "no such user" }
    return { ...delivery, status: "bounced", previousStatus: "accepted", reason: "hard_bounce", bounce }
  }
  if (kind === "email.failed") {
    const failure = { reason: "sending_failed", message: null }
    return { ...delivery, status: "failed", reason: "sending_failed", contactId: "con_1", templateId: null, failure }
  }
  if (kind === "contact.deleted") return { contactId: "con_1" }
  if (kind.startsWith("contact."))
    return { contactId: "con_1", contact, reason: kind === "contact.unsubscribed" ? "unsubscribed" : null }
  if (kind.startsWith("domain."))
    return { domainId: "dom_1", domain: "acme.example", status: "failed", lastVerifiedAt: null }
  return delivery
}

const bodyOf = (kind: EventKind) =>
  webhookBody({ id: "evt_1", projectId: "prj_1", kind, occurredAt: 0, data: dataOf(kind) } as unknown as MailEvent)

const propertiesOf = (schema: Node): ReadonlyArray<string> => Object.keys(schema["properties"] as object).toSorted()

const schemaOf = ({ $ref }: Node): Node =>
  document.components.schemas[(($ref as string | undefined) ?? "").split("/").at(-1)!] as unknown as Node

describe("the OpenAPI document, in its webhooks", () => {
  it("has a webhook for each kind of event and for the test", () => {
    expect(Object.keys(document.webhooks)).toEqual([...eventKinds, "webhook.test"])
  })

  it.each(eventKinds)("describes every field of the body of %s", (kind) => {
    const body = bodyOf(kind)
    const name = schemaNameOf(kind)
    expect(problemOf(name, body)).toBeUndefined()
    const { properties } = document.components.schemas[name] as unknown as { readonly properties: Record<string, Node> }
    expect(properties["type"]).toEqual({ type: "string", enum: [kind] })
    expect(propertiesOf(schemaOf(properties["data"]!))).toEqual(Object.keys(body.data).toSorted())
    for (const field of ["bounce", "failure"]) {
      const part = (body.data as unknown as Node)[field]
      if (part !== undefined && part !== null)
        expect(propertiesOf((schemaOf(properties["data"]!)["properties"] as Record<string, Node>)[field]!)).toEqual(
          Object.keys(part).toSorted()
        )
    }
  })

  it("describes the body of a test", () => {
    const body: WebhookBodyOf<"webhook.test"> = {
      type: "webhook.test",
      timestamp: "2026-11-28T09:30:00.000Z",
      data: { webhook_id: "whk_1", project_id: "prj_1" }
    }
    expect(problemOf(schemaNameOf("webhook.test"), body)).toBeUndefined()
    expect(problemOf(schemaNameOf("webhook.test"), { ...body, data: {} })).toContain("webhook_id")
  })

  it("accepts fields that a later version adds", () => {
    const body = bodyOf("email.bounced")
    expect(problemOf("EmailBouncedWebhookBody", { ...body, more: 1, data: { ...body.data, more: 1 } })).toBeUndefined()
  })

  it("names the signed header fields and the answers that have a meaning", () => {
    const { parameters, responses } = document.webhooks["email.delivered"]!.post
    expect(parameters.map(({ name, in: part, required }) => [name, part, required])).toEqual([
      ["webhook-id", "header", true],
      ["webhook-timestamp", "header", true],
      ["webhook-signature", "header", true]
    ])
    expect(Object.keys(responses).toSorted()).toEqual(["2XX", "410"])
  })
})
