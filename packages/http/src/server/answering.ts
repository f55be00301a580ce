/**
 * What every endpoint's handler needs: the body read, the failure answered, the project of the caller.
 */
import type { Issue, MailFailure, Principal, ProjectId, StoreUnavailable } from "@mailkeep/core"
import { InvalidArgument } from "@mailkeep/core"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { CurrentPrincipal } from "../api/Access.ts"
import { failureResponse } from "./failureResponse.ts"
import { BodyRefused, bodyRefusedResponse, jsonBody } from "./requestBody.ts"

type Refusal = MailFailure | StoreUnavailable | BodyRefused

/** A use case's failure as its answer. */
export const answered = <A, R>(effect: Effect.Effect<A, Refusal, R>) =>
  Effect.catch(effect, (failure) =>
    failure instanceof BodyRefused ? bodyRefusedResponse(failure) : failureResponse(failure)
  )

/** The request's body, read by one of the core's readers. */
export const bodyOf = <A>(
  request: HttpServerRequest.HttpServerRequest,
  read: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>
): Effect.Effect<A, InvalidArgument | BodyRefused, CurrentPrincipal> =>
  Effect.flatMap(jsonBody(request), (json) => {
    const parsed = read(json)
    return Result.isSuccess(parsed)
      ? Effect.succeed(parsed.success)
      : Effect.fail(new InvalidArgument({ context: "body", issues: parsed.failure }))
  })

/** A use case of the caller's, with its failure as its answer. */
export const asPrincipal = <A, R>(use: (principal: Principal) => Effect.Effect<A, Refusal, R>) =>
  answered(Effect.flatMap(CurrentPrincipal, use))

/** A use case of the caller's project, with its failure as its answer. */
export const inProject = <A, R>(use: (projectId: ProjectId) => Effect.Effect<A, Refusal, R>) =>
  asPrincipal(({ projectId }) => use(projectId))

/** The same with the request's body as it came, for a service that takes exactly this body and checks it: `B` is what the service makes sure of. */
export const withJson = <A, B, R>(
  request: HttpServerRequest.HttpServerRequest,
  use: (projectId: ProjectId, body: B) => Effect.Effect<A, Refusal, R>
) => inProject((projectId) => Effect.flatMap(jsonBody(request), (body) => use(projectId, body as B)))

/** The same with the request's body, read by one of the core's readers. */
export const withBody = <A, B, R>(
  request: HttpServerRequest.HttpServerRequest,
  read: (input: unknown) => Result.Result<B, ReadonlyArray<Issue>>,
  use: (projectId: ProjectId, body: B) => Effect.Effect<A, Refusal, R>
) => inProject((projectId) => Effect.flatMap(bodyOf(request, read), (body) => use(projectId, body)))

/** An empty search is no filter. */
export const searchOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

/** What a deletion answers. */
export const success = { success: true } as const
