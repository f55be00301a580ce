/**
 * The suppression list. Source: decision 0012.
 */
import { Mailbox, parseAddress, says, suppressionReasons } from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { NotFoundBody, bodyRefusals } from "./Failures.ts"
import { cursorPageOf, responseOf, SuccessBody, TextOrNull } from "./Page.ts"
import { Cursor, jsonRequest, Limit, noQuery, Search } from "./Parameters.ts"

export const SuppressionBody = Schema.Struct({
  email: TextOrNull,
  reason: Schema.Literals(suppressionReasons),
  reasons: Schema.Array(Schema.Struct({ reason: Schema.Literals(suppressionReasons), since: Schema.String }))
}).annotate({
  identifier: "Suppression",
  description: "`reason` is the strongest of `reasons`. `email` is null after the address was erased."
})

/** Over HTTP, only the reason `manual` can be added. Mailkeep and the embedding product add the other reasons. */
export const AddSuppressionBody = Schema.Struct({
  email: Mailbox,
  reason: Schema.Literals(["manual"]).annotate(says("invalid_value", "must be manual"))
}).annotate({ identifier: "AddSuppressionRequest" })

/** The address in a path. It is checked with the other parts of the request, so that its problem comes before those of the query. */
const PathMailbox = Schema.String.check(
  Schema.makeFilter((text: string) => parseAddress(text) !== undefined, says("invalid_value", "must be a bare mailbox"))
)

export class Suppressions extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", "/emails/suppressions", {
      query: { search: Search, limit: Limit, cursor: Cursor },
      success: cursorPageOf(SuppressionBody, "ListSuppressionsResponse")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List suppressions",
        description:
          "Sorted by address. A page with a search may be short or empty although more pages follow, so check `hasMore`."
      })
    ),
    HttpApiEndpoint.post("add", "/emails/suppressions", {
      ...jsonRequest,
      payload: AddSuppressionBody,
      success: responseOf(SuppressionBody, "SuppressionResponse"),
      error: bodyRefusals
    }).annotateMerge(OpenApi.annotations({ summary: "Suppress an address" })),
    HttpApiEndpoint.delete("remove", "/emails/suppressions/:email", {
      params: { email: PathMailbox },
      query: noQuery,
      success: SuccessBody,
      error: NotFoundBody
    }).annotateMerge(OpenApi.annotations({ summary: "Remove every reason that suppresses an address" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
