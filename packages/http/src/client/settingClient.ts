/**
 * The methods of the client for templates, domains and webhooks.
 */
import type { RenderedTemplate, WebhookTestResult } from "@mailkeep/core"
import type { DomainsHandle, TemplatesHandle, WebhooksHandle } from "@mailkeep/core/handle"
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle/calls"
import type { WebhookTestBody } from "../api/Webhooks.ts"
import { toTemplateBody } from "./inputs.ts"
import {
  noResult,
  ofData,
  ofItems,
  toCursorPage,
  toDomain,
  toPage,
  toWebhook,
  toWebhookDelivery,
  toWebhookSecret
} from "./records.ts"
import type { Request } from "./requests.ts"
import { toTemplate, toTemplateSummary, toTemplateVariable, toTemplateVersionItem } from "./templateRecords.ts"

export const makeTemplates = (request: Request): TemplatesHandle => {
  const list: TemplatesHandle["list"] = (input, options) =>
    request({ operation: "templates.list", query: input, options }, toPage(toTemplateSummary))
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (idOrAlias, options) => request({ operation: "templates.get", ids: [idOrAlias], options }, ofData(toTemplate)),
    create: (input, options) =>
      request({ operation: "templates.create", body: toTemplateBody(input), options }, ofData(toTemplate)),
    update: (idOrAlias, input, options) =>
      request(
        { operation: "templates.update", ids: [idOrAlias], body: toTemplateBody(input), options },
        ofData(toTemplate)
      ),
    publish: (idOrAlias, options) =>
      request({ operation: "templates.publish", ids: [idOrAlias], options }, ofData(toTemplate)),
    archive: (idOrAlias, options) => request({ operation: "templates.archive", ids: [idOrAlias], options }, noResult),
    listVariables: (idOrAlias, options) =>
      request({ operation: "templates.variables", ids: [idOrAlias], options }, ofItems(toTemplateVariable)),
    listVersions: (idOrAlias, input, options) =>
      request(
        { operation: "templates.versions", ids: [idOrAlias], query: input, options },
        ofItems(toTemplateVersionItem)
      ),
    preview: (idOrAlias, input = {}, options) =>
      request(
        { operation: "templates.preview", ids: [idOrAlias], body: toTemplateBody(input), options },
        ({ data }: { readonly data: RenderedTemplate }): RenderedTemplate => ({
          subject: data.subject,
          html: data.html,
          text: data.text
        })
      )
  }
}

export const makeDomains = (request: Request): DomainsHandle => {
  const list: DomainsHandle["list"] = (input, options) =>
    request({ operation: "domains.list", query: input, options }, toPage(toDomain))
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (domainId, options) => request({ operation: "domains.get", ids: [domainId], options }, ofData(toDomain)),
    create: (input, options) => request({ operation: "domains.add", body: input, options }, ofData(toDomain)),
    verify: (domainId, options) => request({ operation: "domains.verify", ids: [domainId], options }, ofData(toDomain)),
    delete: (domainId, options) => request({ operation: "domains.remove", ids: [domainId], options }, noResult)
  }
}

const toTestResult = (wire: typeof WebhookTestBody.Type): WebhookTestResult => ({
  delivered: wire.delivered,
  statusCode: wire.status_code,
  error: wire.error
})

export const makeWebhooks = (request: Request): WebhooksHandle => {
  const listEventDeliveries: WebhooksHandle["listEventDeliveries"] = (webhookId, input, options) =>
    request(
      { operation: "webhooks.deliveries", ids: [webhookId], query: input, options },
      toCursorPage(toWebhookDelivery)
    )
  return {
    list: (input, options) => request({ operation: "webhooks.list", query: input, options }, toPage(toWebhook)),
    get: (webhookId, options) => request({ operation: "webhooks.get", ids: [webhookId], options }, ofData(toWebhook)),
    create: (input, options) =>
      request({ operation: "webhooks.create", body: input, options }, ofData(toWebhookSecret)),
    update: (webhookId, input, options) =>
      request({ operation: "webhooks.update", ids: [webhookId], body: input, options }, ofData(toWebhook)),
    delete: (webhookId, options) => request({ operation: "webhooks.remove", ids: [webhookId], options }, noResult),
    rotateSecret: (webhookId, options) =>
      request({ operation: "webhooks.rotateSecret", ids: [webhookId], options }, ofData(toWebhookSecret)),
    test: (webhookId, options) =>
      request({ operation: "webhooks.test", ids: [webhookId], options }, ofData(toTestResult)),
    listEventDeliveries,
    eachEventDelivery: (webhookId, options) => eachOfCursors((page) => listEventDeliveries(webhookId, page, options)),
    replay: (webhookId, eventDeliveryId, options) =>
      request({ operation: "webhooks.replay", ids: [webhookId, eventDeliveryId], options }, ofData(toWebhookDelivery))
  }
}
