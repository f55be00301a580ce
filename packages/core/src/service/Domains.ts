/**
 * The domains a project sends from. Source: interface, List email domains; decision 0013.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AddDomain } from "../decide/senderDomain.ts"
import { addDomain } from "../decide/senderDomain.ts"
import { parseDomain } from "../domain/Address.ts"
import type { DomainTaken, InvalidArgument } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Projects } from "./Projects.ts"

export class Domains extends Context.Service<
  Domains,
  {
    /** Makes the project when nobody has named it before. */
    readonly add: (
      projectId: ProjectId,
      request: AddDomain
    ) => Effect.Effect<SenderDomain, InvalidArgument | DomainTaken | StoreUnavailable>
    /** Newest first. */
    readonly page: (projectId: ProjectId, page: PageRequest) => Effect.Effect<Page<SenderDomain>, StoreUnavailable>
  }
>()("@mailkeep/core/service/Domains") {
  static readonly layerNoDeps = Layer.effect(
    Domains,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource
      const projects = yield* Projects

      const add = Effect.fn("Domains.add")(function* (projectId: ProjectId, request: AddDomain) {
        yield* projects.ensure(projectId)
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        const domain = parseDomain(request.domain) ?? ""
        return yield* decideAndCommit(store, store.read([{ _tag: "Domain", projectId, domain }]), ([standing]) =>
          addDomain(request, { now, ids: block, projectId, standing })
        )
      })

      const page = Effect.fn("Domains.page")(function* (projectId: ProjectId, page: PageRequest) {
        const [found] = yield* store.read([{ _tag: "DomainPage", projectId, page }])
        return { ...found, ...page }
      })

      return { add, page }
    })
  )
}
