/**
 * Reads templates by id or alias, their versions without bodies, and the bodies only where they are needed.
 */
import { Effect } from "effect"
import type { TemplateRecord, VersionRecord } from "../../decide/template/templateVersion.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import { templatesWithArchivedMax } from "../../domain/store/Resource.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { StoredTemplate, StoredTemplateSummary, StoredVersion } from "../../domain/template/Template.ts"
import { isTemplateId } from "../../domain/template/TemplateContent.ts"
import type { ListedTemplateVersions } from "../../domain/template/TemplateInput.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"

export const templateReads = (store: MailStoreShape) => {
  /** `idOrAlias` is an id when it has the form of an id. No alias has that form. */
  const find = (projectId: ProjectId, idOrAlias: string): Effect.Effect<TemplateRecord | null, StoreUnavailable> =>
    Effect.map(
      store.read([
        isTemplateId(idOrAlias)
          ? { _tag: "Resource", projectId, id: idOrAlias }
          : { _tag: "ResourceNamed", projectId, kind: "template", parent: "", name: idOrAlias }
      ]),
      ([found]) => (found?.kind === "template" ? found : null)
    )

  /** All templates, also the archived ones, newest first. */
  const all = (projectId: ProjectId): Effect.Effect<ReadonlyArray<TemplateRecord>, StoreUnavailable> => {
    const limit = templatesWithArchivedMax
    return Effect.map(
      store.read([{ _tag: "Resources", projectId, kind: "template", parent: "", after: null, limit }]),
      ([found]) => found
    )
  }

  /** Returns the items in the order of `templates`. */
  const withVersions = (
    projectId: ProjectId,
    templates: ReadonlyArray<TemplateRecord>
  ): Effect.Effect<ReadonlyArray<StoredTemplateSummary>, StoreUnavailable> =>
    Effect.map(
      store.read(
        templates.flatMap(({ content }) =>
          [content.draftVersionId, content.publishedVersionId].map(
            (id) => ({ _tag: "Resource", projectId, id: id ?? "" }) as const
          )
        )
      ),
      (versions) =>
        templates.map((template, n) => ({
          template,
          draft: versions[2 * n] as VersionRecord | null,
          published: versions[2 * n + 1] as VersionRecord | null
        }))
    )

  const summary = (
    projectId: ProjectId,
    idOrAlias: string
  ): Effect.Effect<StoredTemplateSummary | null, StoreUnavailable> =>
    Effect.flatMap(find(projectId, idOrAlias), (template) =>
      template === null ? Effect.succeed(null) : Effect.map(withVersions(projectId, [template]), ([only]) => only!)
    )

  /** The newest versions before `beforeVersion`, newest first. When that version does not exist yet, all versions are before it. */
  const versions = (
    projectId: ProjectId,
    templateId: string,
    { beforeVersion, limit }: ListedTemplateVersions
  ): Effect.Effect<ReadonlyArray<VersionRecord>, StoreUnavailable> =>
    Effect.gen(function* () {
      const version = { projectId, kind: "templateVersion", parent: templateId } as const
      if (beforeVersion !== null && beforeVersion <= 1) return []
      const [before] = yield* store.read([{ _tag: "ResourceNamed", ...version, name: String(beforeVersion) }])
      const after = before === null ? null : { createdAt: before.createdAt, id: before.id }
      const [newest] = yield* store.read([{ _tag: "Resources", ...version, after, limit }])
      return newest
    })

  /** Returns the items in the order of `versions`. The store has the body of every version. */
  const withBodies = (
    projectId: ProjectId,
    versions: ReadonlyArray<VersionRecord>
  ): Effect.Effect<ReadonlyArray<StoredVersion>, StoreUnavailable> =>
    Effect.map(
      store.read(versions.map(({ content }) => ({ _tag: "Resource", projectId, id: content.bodyId }) as const)),
      (bodies) => versions.map((version, n) => ({ version, body: bodies[n] as ResourceOf<"templateBody"> }))
    )

  const detail = (projectId: ProjectId, idOrAlias: string): Effect.Effect<StoredTemplate | null, StoreUnavailable> =>
    Effect.gen(function* () {
      const found = yield* summary(projectId, idOrAlias)
      if (found === null) return null
      const { template, draft, published } = found
      const versions = yield* withBodies(
        projectId,
        [draft, published].filter((version) => version !== null)
      )
      const of = (version: VersionRecord | null) => versions.find((one) => one.version === version) ?? null
      return { template, draft: of(draft), published: of(published) }
    })

  return { find, all, withVersions, summary, versions, withBodies, detail }
}
