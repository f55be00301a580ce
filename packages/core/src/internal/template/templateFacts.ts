/**
 * Loads the facts for the decisions about templates: one function for each decision.
 */
import { Effect } from "effect"
import type { VersionPosition, VersionRecord } from "../../decide/template/templateVersion.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { TemplateCounts } from "../../decide/template/templateLimit.ts"
import { templateCounts } from "../../decide/template/templateLimit.ts"
import { resourcesMax } from "../../domain/store/Resource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { templateReads } from "./templateReads.ts"

export const templateFacts = (store: MailStoreShape) => {
  const reads = templateReads(store)
  const { detail, find } = reads

  /** The query for the template with this alias. An absent alias matches no template. */
  const aliased = (projectId: ProjectId, alias: string | null | undefined) =>
    ({ _tag: "ResourceNamed", projectId, kind: "template", parent: "", name: alias ?? "" }) as const

  const countOf = (projectId: ProjectId) =>
    ({ _tag: "ResourceCount", projectId, kind: "template", parent: "" }) as const

  /** Reads the templates only when there are so many that archived ones must be left out. */
  const countsOf = (projectId: ProjectId, all: number): Effect.Effect<TemplateCounts, StoreUnavailable> =>
    all < resourcesMax ? Effect.succeed({ inUse: all, all }) : Effect.map(reads.all(projectId), templateCounts)

  const newest = (projectId: ProjectId, templateId: string) =>
    ({ _tag: "Resources", projectId, kind: "templateVersion", parent: templateId, after: null, limit: 1 }) as const

  const positionOf = ([found]: ReadonlyArray<VersionRecord>): VersionPosition | null =>
    found === undefined ? null : { versionNumber: found.content.versionNumber, createdAt: found.createdAt }

  const forCreate = Effect.fnUntraced(function* (projectId: ProjectId, alias: string | null | undefined) {
    const [holder, all] = yield* store.read([aliased(projectId, alias), countOf(projectId)])
    return { aliased: holder, counts: yield* countsOf(projectId, all) }
  })

  const forEnsure = Effect.fnUntraced(function* (projectId: ProjectId, alias: string) {
    const existing = yield* detail(projectId, alias)
    const templateId = existing?.template.id ?? ""
    const [all, versions] = yield* store.read([countOf(projectId), newest(projectId, templateId)])
    return { existing, counts: yield* countsOf(projectId, all), newest: positionOf(versions) }
  })

  const forUpdate = Effect.fnUntraced(function* (
    projectId: ProjectId,
    idOrAlias: string,
    alias: string | null | undefined
  ) {
    const existing = yield* detail(projectId, idOrAlias)
    const templateId = existing?.template.id ?? ""
    const [holder, versions] = yield* store.read([aliased(projectId, alias), newest(projectId, templateId)])
    return { existing, aliased: holder, newest: positionOf(versions) }
  })

  const forPublish = (projectId: ProjectId, idOrAlias: string) =>
    Effect.map(detail(projectId, idOrAlias), (existing) => ({ existing }))

  const forArchive = (projectId: ProjectId, idOrAlias: string) =>
    Effect.map(find(projectId, idOrAlias), (existing) => ({ existing }))

  return { forCreate, forEnsure, forUpdate, forPublish, forArchive }
}
