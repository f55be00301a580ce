/**
 * Reads a template by id or alias, its versions without their bodies, and a body when it is needed.
 */
import { Effect } from "effect"
import type { TemplateDetail, TemplateSummary, TemplateVersionDetail } from "../decide/template.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { ProjectId } from "../domain/Project.ts"
import { isTemplateId } from "../domain/Template.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"

type TemplateRecord = DefinitionOf<"template">
type VersionRecord = DefinitionOf<"templateVersion">

export const templateReads = (store: MailStoreShape) => {
  /** `idOrAlias` is an id when it looks like one: no alias does. */
  const find = (projectId: ProjectId, idOrAlias: string): Effect.Effect<TemplateRecord | null, StoreUnavailable> =>
    Effect.map(
      store.read([
        isTemplateId(idOrAlias)
          ? { _tag: "Definition", projectId, id: idOrAlias }
          : { _tag: "DefinitionNamed", projectId, kind: "template", parent: "", name: idOrAlias }
      ]),
      ([found]) => (found?.kind === "template" ? found : null)
    )

  /** In the order of the templates. */
  const withVersions = (
    projectId: ProjectId,
    templates: ReadonlyArray<TemplateRecord>
  ): Effect.Effect<ReadonlyArray<TemplateSummary>, StoreUnavailable> =>
    Effect.map(
      store.read(
        templates.flatMap(({ content }) =>
          [content.draftVersionId, content.publishedVersionId].map(
            (id) => ({ _tag: "Definition", projectId, id: id ?? "" }) as const
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

  const summary = (projectId: ProjectId, idOrAlias: string): Effect.Effect<TemplateSummary | null, StoreUnavailable> =>
    Effect.flatMap(find(projectId, idOrAlias), (template) =>
      template === null ? Effect.succeed(null) : Effect.map(withVersions(projectId, [template]), ([only]) => only!)
    )

  /** In the order of the versions. A version refers to a body that is in the store. */
  const withBodies = (
    projectId: ProjectId,
    versions: ReadonlyArray<VersionRecord>
  ): Effect.Effect<ReadonlyArray<TemplateVersionDetail>, StoreUnavailable> =>
    Effect.map(
      store.read(versions.map(({ content }) => ({ _tag: "Definition", projectId, id: content.bodyId }) as const)),
      (bodies) => versions.map((version, n) => ({ version, body: bodies[n] as DefinitionOf<"templateBody"> }))
    )

  const detail = (projectId: ProjectId, idOrAlias: string): Effect.Effect<TemplateDetail | null, StoreUnavailable> =>
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

  return { find, withVersions, summary, withBodies, detail }
}
