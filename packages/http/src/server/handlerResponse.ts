/**
 * What every endpoint handler does around its use case: reads the body, passes the principal of the request to the service, and turns a failure into a
 * response.
 */
import type { InvalidArgument, Issue, MailRefusal, Principal, StoreUnavailable } from "@mailkeep/core"
import type { Result } from "effect"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { CurrentPrincipal } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"
import { BodyRefused, bodyRefusedResponse, jsonBody, parsedAs } from "./requestBody.ts"

type HandlerFailure = MailRefusal | StoreUnavailable | BodyRefused

/** Turns the failure of a use case into its response. */
const withFailureResponse = <A, R>(effect: Effect.Effect<A, HandlerFailure, R>) =>
  Effect.catch(effect, (failure) =>
    failure instanceof BodyRefused ? bodyRefusedResponse(failure) : failureResponse(failure)
  )

/** The body of the request, parsed by `read`. */
export const bodyOf = <A>(
  request: HttpServerRequest.HttpServerRequest,
  read: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>
): Effect.Effect<A, InvalidArgument | BodyRefused, CurrentPrincipal> =>
  Effect.flatMap(jsonBody(request), (json) => parsedAs(read, json))

/** Runs a use case as the caller, and turns its failure into a response. */
export const asPrincipal = <A, R>(use: (principal: Principal) => Effect.Effect<A, HandlerFailure, R>) =>
  withFailureResponse(Effect.flatMap(CurrentPrincipal, use))

/**
 * The same with the unchecked body of the request, for a service that checks the body itself. `B` is the type that the service validates.
 */
export const withJson = <A, B, R>(
  request: HttpServerRequest.HttpServerRequest,
  use: (principal: Principal, body: B) => Effect.Effect<A, HandlerFailure, R>
) => asPrincipal((principal) => Effect.flatMap(jsonBody(request), (body) => use(principal, body as B)))

/** The same with the body of the request, parsed by `read`. */
export const withBody = <A, B, R>(
  request: HttpServerRequest.HttpServerRequest,
  read: (input: unknown) => Result.Result<B, ReadonlyArray<Issue>>,
  use: (principal: Principal, body: B) => Effect.Effect<A, HandlerFailure, R>
) => asPrincipal((principal) => Effect.flatMap(bodyOf(request, read), (body) => use(principal, body)))

/** An empty search means no filter. */
export const searchOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

/** The response body of a deletion. */
export const success = { success: true } as const
