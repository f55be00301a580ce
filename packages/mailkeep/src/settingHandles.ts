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
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle"
import { Effect, Redacted } from "effect"
import type { Run } from "./calls.ts"

export const makeTemplates = (run: Run, caller: ProjectId): EmbeddedTemplates => {
  const list: EmbeddedTemplates["list"] = (input, options) =>
    run(
      Templates.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (idOrAlias, options) =>
      run(
        Templates.use(({ get }) => get(caller, idOrAlias)),
        options
      ),
    create: (input, options) =>
      run(
        Templates.use(({ create }) => create(caller, input)),
        options
      ),
    ensure: (input, options) =>
      run(
        Templates.use(({ ensure }) => ensure(caller, input)),
        options
      ),
    update: (idOrAlias, input, options) =>
      run(
        Templates.use(({ update }) => update(caller, idOrAlias, input)),
        options
      ),
    publish: (idOrAlias, options) =>
      run(
        Templates.use(({ publish }) => publish(caller, idOrAlias)),
        options
      ),
    archive: (idOrAlias, options) =>
      run(Effect.asVoid(Templates.use(({ archive }) => archive(caller, idOrAlias))), options),
    listVariables: (idOrAlias, options) =>
      run(
        Templates.use(({ listVariables }) => listVariables(caller, idOrAlias)),
        options
      ),
    listVersions: (idOrAlias, input, options) =>
      run(
        Templates.use(({ listVersions }) => listVersions(caller, idOrAlias, input)),
        options
      ),
    preview: (idOrAlias, input, options) =>
      run(
        Templates.use(({ preview }) => preview(caller, idOrAlias, input)),
        options
      )
  }
}

export const makeDomains = (run: Run, caller: ProjectId): EmbeddedDomains => {
  const list: EmbeddedDomains["list"] = (input, options) =>
    run(
      Domains.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (domainId, options) =>
      run(
        Domains.use(({ get }) => get(caller, domainId)),
        options
      ),
    create: (input, options) =>
      run(
        Domains.use(({ create }) => create(caller, input)),
        options
      ),
    ensure: (input, options) =>
      run(
        Domains.use(({ ensure }) => ensure(caller, input)),
        options
      ),
    verify: (domainId, options) =>
      run(
        Domains.use(({ verify }) => verify(caller, domainId)),
        options
      ),
    delete: (domainId, options) =>
      run(Effect.asVoid(Domains.use((domains) => domains.delete(caller, domainId))), options)
  }
}

const withPlainSecret = ({ webhook, secret }: WebhookWithSecret): WebhookSecret<Webhook> => ({
  webhook,
  secret: Redacted.value(secret)
})

export const makeWebhooks = (run: Run, caller: ProjectId): WebhooksHandle<Webhook, WebhookDelivery> => {
  const listEventDeliveries: WebhooksHandle<Webhook, WebhookDelivery>["listEventDeliveries"] = (id, input, options) =>
    run(
      Webhooks.use(({ listEventDeliveries }) => listEventDeliveries(caller, id, input)),
      options
    )
  return {
    list: (input, options) =>
      run(
        Webhooks.use(({ list }) => list(caller, input)),
        options
      ),
    get: (webhookId, options) =>
      run(
        Webhooks.use(({ get }) => get(caller, webhookId)),
        options
      ),
    create: (input, options) =>
      run(
        Effect.map(
          Webhooks.use(({ create }) => create(caller, input)),
          withPlainSecret
        ),
        options
      ),
    update: (webhookId, input, options) =>
      run(
        Webhooks.use(({ update }) => update(caller, webhookId, input)),
        options
      ),
    delete: (webhookId, options) =>
      run(Effect.asVoid(Webhooks.use((webhooks) => webhooks.delete(caller, webhookId))), options),
    rotateSecret: (webhookId, options) =>
      run(
        Effect.map(
          Webhooks.use(({ rotateSecret }) => rotateSecret(caller, webhookId)),
          withPlainSecret
        ),
        options
      ),
    test: (webhookId, options) =>
      run(
        Webhooks.use(({ test }) => test(caller, webhookId)),
        options
      ),
    listEventDeliveries,
    eachEventDelivery: (webhookId, options) => eachOfCursors((page) => listEventDeliveries(webhookId, page, options)),
    replay: (webhookId, eventDeliveryId, options) =>
      run(
        Webhooks.use(({ replay }) => replay(caller, webhookId, eventDeliveryId)),
        options
      )
  }
}

export const makeApiKeys = (run: Run, projectId: ProjectId): ApiKeysHandle => {
  // The core revokes an API key of any project. A handle knows only the API keys of its own project.
  const revoke = (apiKeyId: string) =>
    ApiKeys.use((apiKeys) =>
      Effect.flatMap(apiKeys.list(projectId), (own) =>
        own.some(({ id }) => id === apiKeyId) ? apiKeys.revoke(apiKeyId) : Effect.fail(new ApiKeyNotFound({ apiKeyId }))
      )
    )
  return {
    create: (input, options) =>
      run(
        Effect.map(
          ApiKeys.use(({ create }) => create(projectId, input)),
          ({ apiKey, secret }) => ({ apiKey, secret: Redacted.value(secret) })
        ),
        options
      ),
    list: (options) =>
      run(
        ApiKeys.use(({ list }) => list(projectId)),
        options
      ),
    revoke: (apiKeyId, options) => run(revoke(apiKeyId), options)
  }
}
