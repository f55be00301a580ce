/**
 * Loads the facts for the decisions about templates.
 */
import { Effect } from "effect"
import type { VersionPosition, VersionRecord } from "../decide/template/templateVersion.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import type { MailStoreShape } from "../port/MailStore.ts"
import { templateReads } from "./templateReads.ts"

export const templateFacts = (store: MailStoreShape) => {
  const { detail, find } = templateReads(store)

  /** The query for the template with this alias. An absent alias matches no template. */
  const aliased = (projectId: ProjectId, alias: string | null | undefined) =>
    ({ _tag: "ResourceNamed", projectId, kind: "template", parent: "", name: alias ?? "" }) as const

  const countOf = (projectId: ProjectId) =>
    ({ _tag: "ResourceCount", projectId, kind: "template", parent: "" }) as const

  const newest = (projectId: ProjectId, templateId: string) =>
    ({ _tag: "Resources", projectId, kind: "templateVersion", parent: templateId, after: null, limit: 1 }) as const

  const positionOf = ([found]: ReadonlyArray<VersionRecord>): VersionPosition | null =>
    found === undefined ? null : { versionNumber: found.content.versionNumber, createdAt: found.createdAt }

  const toCreate = (projectId: ProjectId, alias: string | null | undefined) =>
    Effect.map(store.read([aliased(projectId, alias), countOf(projectId)]), ([aliased, count]) => ({ aliased, count }))

  const toEnsure = Effect.fnUntraced(function* (projectId: ProjectId, alias: string) {
    const existing = yield* detail(projectId, alias)
    const templateId = existing?.template.id ?? ""
    const [count, versions] = yield* store.read([countOf(projectId), newest(projectId, templateId)])
    return { existing, count, newest: positionOf(versions) }
  })

  const toUpdate = Effect.fnUntraced(function* (
    projectId: ProjectId,
    idOrAlias: string,
    alias: string | null | undefined
  ) {
    const existing = yield* detail(projectId, idOrAlias)
    const templateId = existing?.template.id ?? ""
    const [holder, versions] = yield* store.read([aliased(projectId, alias), newest(projectId, templateId)])
    return { existing, aliased: holder, newest: positionOf(versions) }
  })

  const toPublish = (projectId: ProjectId, idOrAlias: string) =>
    Effect.map(detail(projectId, idOrAlias), (existing) => ({ existing }))

  const toArchive = (projectId: ProjectId, idOrAlias: string) =>
    Effect.map(find(projectId, idOrAlias), (existing) => ({ existing }))

  return { toCreate, toEnsure, toUpdate, toPublish, toArchive }
}
