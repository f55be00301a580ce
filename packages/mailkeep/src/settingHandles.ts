/**
 * The templates, domains, webhooks and API keys of a project, over the services of the core.
 */
import type { ProjectId, Webhook, WebhookDelivery, WebhookWithSecret } from "@mailkeep/core"
import { ApiKeyNotFound, ApiKeys, Domains, Templates, Webhooks } from "@mailkeep/core"
import type {
  ApiKeysHandle,
  EmbeddedDomains,
  EmbeddedTemplates,
  WebhookSecret,
  WebhooksHandle
} from "@mailkeep/core/handle"
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle/calls"
import { Effect, Redacted } from "effect"
import type { Run } from "./calls.ts"
import { callsOf } from "./calls.ts"

export const makeTemplates = (run: Run, caller: ProjectId): EmbeddedTemplates => {
  const call = callsOf(run, Templates)
  const list: EmbeddedTemplates["list"] = (input, options) => call(({ list }) => list(caller, input), options)
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (idOrAlias, options) => call(({ get }) => get(caller, idOrAlias), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    ensure: (input, options) => call(({ ensure }) => ensure(caller, input), options),
    update: (idOrAlias, input, options) => call(({ update }) => update(caller, idOrAlias, input), options),
    publish: (idOrAlias, options) => call(({ publish }) => publish(caller, idOrAlias), options),
    archive: (idOrAlias, options) => call(({ archive }) => Effect.asVoid(archive(caller, idOrAlias)), options),
    listVariables: (idOrAlias, options) => call(({ listVariables }) => listVariables(caller, idOrAlias), options),
    listVersions: (idOrAlias, input, options) =>
      call(({ listVersions }) => listVersions(caller, idOrAlias, input), options),
    preview: (idOrAlias, input, options) => call(({ preview }) => preview(caller, idOrAlias, input), options)
  }
}

export const makeDomains = (run: Run, caller: ProjectId): EmbeddedDomains => {
  const call = callsOf(run, Domains)
  const list: EmbeddedDomains["list"] = (input, options) => call(({ list }) => list(caller, input), options)
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (domainId, options) => call(({ get }) => get(caller, domainId), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    ensure: (input, options) => call(({ ensure }) => ensure(caller, input), options),
    verify: (domainId, options) => call(({ verify }) => verify(caller, domainId), options),
    rotateDkimKey: (domainId, options) => call(({ rotateDkimKey }) => rotateDkimKey(caller, domainId), options),
    importDkimKey: (domainId, input, options) =>
      call(({ importDkimKey }) => importDkimKey(caller, domainId, input), options),
    delete: (domainId, options) => call((domains) => Effect.asVoid(domains.delete(caller, domainId)), options)
  }
}

const withPlainSecret = ({ webhook, secret }: WebhookWithSecret): WebhookSecret<Webhook> => ({
  webhook,
  secret: Redacted.value(secret)
})

export const makeWebhooks = (run: Run, caller: ProjectId): WebhooksHandle<Webhook, WebhookDelivery> => {
  const call = callsOf(run, Webhooks)
  const listEventDeliveries: WebhooksHandle<Webhook, WebhookDelivery>["listEventDeliveries"] = (id, input, options) =>
    call(({ listEventDeliveries }) => listEventDeliveries(caller, id, input), options)
  return {
    list: (input, options) => call(({ list }) => list(caller, input), options),
    get: (webhookId, options) => call(({ get }) => get(caller, webhookId), options),
    create: (input, options) => call(({ create }) => Effect.map(create(caller, input), withPlainSecret), options),
    update: (webhookId, input, options) => call(({ update }) => update(caller, webhookId, input), options),
    delete: (webhookId, options) => call((webhooks) => Effect.asVoid(webhooks.delete(caller, webhookId)), options),
    rotateSecret: (webhookId, options) =>
      call(({ rotateSecret }) => Effect.map(rotateSecret(caller, webhookId), withPlainSecret), options),
    test: (webhookId, options) => call(({ test }) => test(caller, webhookId), options),
    listEventDeliveries,
    eachEventDelivery: (webhookId, options) => eachOfCursors((page) => listEventDeliveries(webhookId, page, options)),
    replay: (webhookId, eventDeliveryId, options) =>
      call(({ replay }) => replay(caller, webhookId, eventDeliveryId), options)
  }
}

export const makeApiKeys = (run: Run, projectId: ProjectId): ApiKeysHandle => {
  const call = callsOf(run, ApiKeys)
  // The core revokes an API key of any project. A handle knows only the API keys of its own project.
  const revoke = (apiKeyId: string) =>
    ApiKeys.use((apiKeys) =>
      Effect.flatMap(apiKeys.list(projectId), (own) =>
        own.some(({ id }) => id === apiKeyId) ? apiKeys.revoke(apiKeyId) : Effect.fail(new ApiKeyNotFound({ apiKeyId }))
      )
    )
  return {
    create: (input, options) =>
      call(
        ({ create }) =>
          Effect.map(create(projectId, input), ({ apiKey, secret }) => ({ apiKey, secret: Redacted.value(secret) })),
        options
      ),
    list: (options) => call(({ list }) => list(projectId), options),
    revoke: (apiKeyId, options) => run(revoke(apiKeyId), options)
  }
}
