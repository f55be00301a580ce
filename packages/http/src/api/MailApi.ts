/**
 * The whole interface as one API. The server implements it, the typed client calls it, and the OpenAPI document describes it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { Lists, Properties, Segments } from "./ContactGroups.ts"
import { Contacts } from "./Contacts.ts"
import { withDetails } from "./documentDetails.ts"
import { Domains } from "./Domains.ts"
import { Logs } from "./Logs.ts"
import { Messages } from "./Messages.ts"
import { Suppressions } from "./Suppressions.ts"
import { Templates } from "./Templates.ts"
import { Webhooks } from "./Webhooks.ts"

const everyIssue = { errors: "all" } as const

/**
 * The interface over HTTP: its endpoints, schemas and failures. `HttpApiClient.make(MailApi)` of Effect makes a typed
 * client.
 */
export class MailApi extends HttpApi.make("mailkeep")
  .add(Messages)
  .add(Logs)
  .add(Contacts)
  .add(Properties)
  .add(Lists)
  .add(Segments)
  .add(Suppressions)
  .add(Templates)
  .add(Webhooks)
  .add(Domains)
  .prefix("/api/v1")
  .annotate(HttpApi.ParamsParseOptions, everyIssue)
  .annotate(HttpApi.HeadersParseOptions, everyIssue)
  .annotate(HttpApi.QueryParseOptions, { ...everyIssue, onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Mailkeep",
      version: "1",
      description: "Sends transactional email and keeps a delivery log and contacts.",
      transform: withDetails
    })
  ) {}
