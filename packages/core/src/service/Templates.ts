/**
 * Templates: drafted, published, previewed, archived. Source: decision 0027.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { RenderedTemplate } from "../decide/renderTemplate.ts"
import { publishingIssues, renderTemplate } from "../decide/renderTemplate.ts"
import type { TemplateDetail } from "../decide/template.ts"
import { archiveTemplate, createTemplate, publishTemplate, updateTemplate } from "../decide/template.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import { definitionsMax } from "../domain/Definition.ts"
import type { NameTaken, TemplateNotEditable, TooManyRecords } from "../domain/Failure.ts"
import { InvalidArgument, RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import { folded, pageOf } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import type {
  CreateTemplate,
  PreviewTemplate,
  TemplateStatus,
  TemplateVariable,
  UpdateTemplate
} from "../domain/Template.ts"
import { templateStatusOf } from "../domain/Template.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

export type { RenderedTemplate } from "../decide/renderTemplate.ts"
export type { TemplateDetail } from "../decide/template.ts"

export interface TemplateFilters {
  readonly status: TemplateStatus | null
  /** A part of name, alias or description, in any case. */
  readonly search: string | null
  readonly category: string | null
}

/** More than one request can ask for. */
const idsAtOnce = 200

export class Templates extends Context.Service<
  Templates,
  {
    /** Newest first. */
    readonly page: (
      projectId: ProjectId,
      filters: TemplateFilters,
      page: PageRequest
    ) => Effect.Effect<Page<TemplateDetail>, StoreUnavailable>
    readonly get: (projectId: ProjectId, id: string) => Effect.Effect<TemplateDetail, RecordNotFound | StoreUnavailable>
    readonly create: (
      projectId: ProjectId,
      request: CreateTemplate
    ) => Effect.Effect<TemplateDetail, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateTemplate
    ) => Effect.Effect<
      TemplateDetail,
      InvalidArgument | NameTaken | RecordNotFound | TemplateNotEditable | StoreUnavailable
    >
    readonly publish: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<TemplateDetail, InvalidArgument | RecordNotFound | TemplateNotEditable | StoreUnavailable>
    readonly archive: (projectId: ProjectId, id: string) => Effect.Effect<null, RecordNotFound | StoreUnavailable>
    /** Of the published version, or of the draft where none is. */
    readonly variables: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<ReadonlyArray<TemplateVariable>, RecordNotFound | StoreUnavailable>
    /** Newest first, those before `beforeVersion`. */
    readonly versions: (
      projectId: ProjectId,
      id: string,
      walk: { readonly limit: number; readonly beforeVersion: number | null }
    ) => Effect.Effect<
      { readonly items: ReadonlyArray<DefinitionOf<"templateVersion">>; readonly hasMore: boolean },
      RecordNotFound | StoreUnavailable
    >
    /** What a send would say: of the draft, or of the published version where none is, unless one is named. Writes nothing. */
    readonly preview: (
      projectId: ProjectId,
      id: string,
      request: PreviewTemplate
    ) => Effect.Effect<RenderedTemplate, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Templates") {
  static readonly layerNoDeps = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource

      const detailed = (projectId: ProjectId, templates: ReadonlyArray<DefinitionOf<"template">>) =>
        Effect.map(
          store.read(
            templates.flatMap(({ content }) =>
              [content.draftVersionId, content.publishedVersionId].map(
                (id) => ({ _tag: "Definition", projectId, id: id ?? "" }) as const
              )
            )
          ),
          (versions) =>
            templates.map((template, n): TemplateDetail => ({
              template,
              draft: versions[2 * n] as DefinitionOf<"templateVersion"> | null,
              published: versions[2 * n + 1] as DefinitionOf<"templateVersion"> | null
            }))
        )

      const find = Effect.fnUntraced(function* (projectId: ProjectId, id: string) {
        const [found] = yield* store.read([{ _tag: "Definition", projectId, id }])
        if (found?.kind !== "template") return null
        const [detail] = yield* detailed(projectId, [found])
        return detail!
      })

      const get = Effect.fn("Templates.get")(function* (projectId: ProjectId, id: string) {
        return (yield* find(projectId, id)) ?? (yield* new RecordNotFound({ record: "template", id }))
      })

      const all = { _tag: "Definitions", kind: "template", parent: "", after: null, limit: definitionsMax } as const

      const page = Effect.fn("Templates.page")(function* (
        projectId: ProjectId,
        { status, search, category }: TemplateFilters,
        page: PageRequest
      ) {
        const [found] = yield* store.read([{ ...all, projectId }])
        const part = search === null ? null : folded(search)
        const matching = (found as ReadonlyArray<DefinitionOf<"template">>).filter(
          ({ content }) =>
            (status === null || templateStatusOf(content) === status) &&
            (category === null || content.category === category) &&
            (part === null ||
              [content.name, content.alias, content.description].some(
                (text) => text !== null && folded(text).includes(part)
              ))
        )
        const { items, total } = pageOf(matching, page)
        return { items: yield* detailed(projectId, items), total, ...page }
      })

      const aliased = (projectId: ProjectId, alias: string | null | undefined) =>
        ({ _tag: "DefinitionNamed", projectId, kind: "template", parent: "", name: alias ?? "" }) as const

      const create = Effect.fn("Templates.create")(function* (projectId: ProjectId, request: CreateTemplate) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, idsAtOnce)
        return yield* decideAndCommit(
          store,
          store.read([aliased(projectId, request.alias), { ...all, projectId }]),
          ([holder, { length: count }]) =>
            createTemplate(request, { now, ids: block, projectId, aliased: holder, count })
        )
      })

      const newestVersion = (projectId: ProjectId, id: string) =>
        ({ _tag: "Definitions", projectId, kind: "templateVersion", parent: id, after: null, limit: 1 }) as const

      const facts = Effect.fnUntraced(function* (projectId: ProjectId, id: string, alias?: string | null) {
        const detail = yield* find(projectId, id)
        const [holder, [newest]] = yield* store.read([aliased(projectId, alias), newestVersion(projectId, id)])
        const versions = newest?.kind === "templateVersion" ? newest.content.versionNumber : 0
        return { detail, aliased: holder, versions }
      })

      const update = Effect.fn("Templates.update")(function* (
        projectId: ProjectId,
        id: string,
        request: UpdateTemplate
      ) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, idsAtOnce)
        return yield* decideAndCommit(store, facts(projectId, id, request.alias), (found) =>
          updateTemplate(id, request, { now, ids: block, ...found })
        )
      })

      const publish = Effect.fn("Templates.publish")(function* (projectId: ProjectId, id: string) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        return yield* decideAndCommit(store, find(projectId, id), (detail) =>
          publishTemplate(id, { now, ids: block, detail })
        )
      })

      const archive = Effect.fn("Templates.archive")(function* (projectId: ProjectId, id: string) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        return yield* decideAndCommit(store, find(projectId, id), (detail) =>
          archiveTemplate(id, { now, ids: block, detail })
        )
      })

      const variables = Effect.fn("Templates.variables")(function* (projectId: ProjectId, id: string) {
        const { draft, published } = yield* get(projectId, id)
        return (published ?? draft)?.content.variables ?? []
      })

      const versions = Effect.fn("Templates.versions")(function* (
        projectId: ProjectId,
        id: string,
        { limit, beforeVersion }: { readonly limit: number; readonly beforeVersion: number | null }
      ) {
        yield* get(projectId, id)
        const walk = { ...newestVersion(projectId, id), limit: limit + 1 }
        const [at] = yield* store.read([
          { _tag: "DefinitionNamed", projectId, kind: "templateVersion", parent: id, name: String(beforeVersion) }
        ])
        // Before a version that is not there yet are all of them, before the first one none.
        const [found] =
          beforeVersion !== null && beforeVersion <= 1
            ? [[]]
            : yield* store.read([{ ...walk, after: at === null ? null : { createdAt: at.createdAt, id: at.id } }])
        const items = found as ReadonlyArray<DefinitionOf<"templateVersion">>
        return { items: items.slice(0, limit), hasMore: items.length > limit }
      })

      const preview = Effect.fn("Templates.preview")(function* (
        projectId: ProjectId,
        id: string,
        { variables = {}, version }: PreviewTemplate
      ) {
        const { draft, published } = yield* get(projectId, id)
        const shown = version === "draft" ? draft : version === "published" ? published : (draft ?? published)
        if (shown === null) return yield* new RecordNotFound({ record: "template", id })
        const issues = publishingIssues(shown.content)
        const rendered = issues.length > 0 ? Result.fail(issues) : renderTemplate(shown.content, variables, "variables")
        if (Result.isFailure(rendered)) return yield* new InvalidArgument({ context: "body", issues: rendered.failure })
        return rendered.success
      })

      return { page, get, create, update, publish, archive, variables, versions, preview }
    })
  )
}
