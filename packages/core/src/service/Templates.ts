/**
 * Creates, updates, publishes, previews and archives templates. Source: decision 0027.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { RenderedTemplate } from "../decide/renderTemplate.ts"
import { publishingIssues, renderTemplate } from "../decide/renderTemplate.ts"
import type { TemplateDetail, TemplateSummary } from "../decide/template.ts"
import { archiveTemplate, contentOf, createTemplate, publishTemplate, updateTemplate } from "../decide/template.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import { resourcesMax } from "../domain/Resource.ts"
import type { NameTaken, TemplateNotEditable, TooManyRecords } from "../domain/Failure.ts"
import { InvalidArgument, RecordNotFound } from "../domain/Failure.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import { caseFold, newestFirst, pageOf } from "../domain/Paging.ts"
import type { ProjectId } from "../domain/Project.ts"
import type {
  CreateTemplate,
  PreviewTemplate,
  TemplateStatus,
  TemplateVariable,
  UpdateTemplate
} from "../domain/Template.ts"
import {
  parseCreateTemplate,
  parsePreviewTemplate,
  parseUpdateTemplate,
  templateStatusOf,
  versionBodiesOctetsMax
} from "../domain/Template.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { templateReads } from "../internal/templateReads.ts"
import { validated } from "../internal/validated.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

export type { RenderedTemplate } from "../decide/renderTemplate.ts"
export type { TemplateDetail, TemplateSummary, TemplateVersionDetail } from "../decide/template.ts"

export interface TemplateFilters {
  readonly status: TemplateStatus | null
  /** Text that the name, the alias or the description contains, without regard to case. */
  readonly search: string | null
  readonly category: string | null
}

/** A version. `body` is `null` when the bodies of the page would exceed `versionBodiesOctetsMax`. */
export interface TemplateVersionItem {
  readonly version: ResourceOf<"templateVersion">
  readonly body: ResourceOf<"templateBody"> | null
}

/** How many ids are reserved at once: more than one request can use. */
const idsAtOnce = 200

/** The newest versions whose bodies fit into `versionBodiesOctetsMax` together. `versions` are newest first. */
const versionsWithBodies = (
  versions: ReadonlyArray<ResourceOf<"templateVersion">>
): ReadonlyArray<ResourceOf<"templateVersion">> => {
  let octets = 0
  const firstTooMany = versions.findIndex(({ content }) => (octets += content.bodyOctets) > versionBodiesOctetsMax)
  return firstTooMany === -1 ? versions : versions.slice(0, firstTooMany)
}

/**
 * The templates of a project. `idOrAlias` is the id or the alias of a template. Input is validated by the rules of the wire. Invalid input fails
 * with `InvalidArgument`.
 */
export class Templates extends Context.Service<
  Templates,
  {
    /** Most recently updated first, without bodies. */
    readonly page: (
      projectId: ProjectId,
      filters: TemplateFilters,
      page: PageRequest
    ) => Effect.Effect<Page<TemplateSummary>, StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      idOrAlias: string
    ) => Effect.Effect<TemplateDetail, RecordNotFound | StoreUnavailable>
    readonly create: (
      projectId: ProjectId,
      request: CreateTemplate
    ) => Effect.Effect<TemplateDetail, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      idOrAlias: string,
      request: UpdateTemplate
    ) => Effect.Effect<
      TemplateDetail,
      InvalidArgument | NameTaken | RecordNotFound | TemplateNotEditable | StoreUnavailable
    >
    readonly publish: (
      projectId: ProjectId,
      idOrAlias: string
    ) => Effect.Effect<TemplateDetail, InvalidArgument | RecordNotFound | TemplateNotEditable | StoreUnavailable>
    readonly archive: (
      projectId: ProjectId,
      idOrAlias: string
    ) => Effect.Effect<null, RecordNotFound | StoreUnavailable>
    /** The variables of the draft, or of the published version when there is no draft. */
    readonly variables: (
      projectId: ProjectId,
      idOrAlias: string
    ) => Effect.Effect<ReadonlyArray<TemplateVariable>, RecordNotFound | StoreUnavailable>
    /**
     * The versions before `beforeVersion`, newest first. Fewer than `limit` versions mean that there are no more. The newest versions have
     * their bodies, up to `versionBodiesOctetsMax` in total.
     */
    readonly versions: (
      projectId: ProjectId,
      idOrAlias: string,
      page: { readonly limit: number; readonly beforeVersion: number | null }
    ) => Effect.Effect<ReadonlyArray<TemplateVersionItem>, RecordNotFound | StoreUnavailable>
    /** Renders the content of a send. Default: the draft, or the published version when there is no draft. Writes nothing. */
    readonly preview: (
      projectId: ProjectId,
      idOrAlias: string,
      request: PreviewTemplate
    ) => Effect.Effect<RenderedTemplate, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Templates") {
  static readonly layerNoDeps = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const store = yield* MailStore
      const ids = yield* IdSource

      const reads = templateReads(store)

      const orNotFound = <A>(id: string, found: A | null): Effect.Effect<A, RecordNotFound> =>
        found === null ? Effect.fail(new RecordNotFound({ record: "template", id })) : Effect.succeed(found)

      const get = Effect.fn("Templates.get")(function* (projectId: ProjectId, idOrAlias: string) {
        return yield* orNotFound(idOrAlias, yield* reads.detail(projectId, idOrAlias))
      })

      const all = { _tag: "Resources", kind: "template", parent: "", after: null, limit: resourcesMax } as const

      const page = Effect.fn("Templates.page")(function* (
        projectId: ProjectId,
        { status, search, category }: TemplateFilters,
        page: PageRequest
      ) {
        const [found] = yield* store.read([{ ...all, projectId }])
        const part = search === null ? null : caseFold(search)
        const matching = (found as ReadonlyArray<ResourceOf<"template">>).filter(
          ({ content }) =>
            (status === null || templateStatusOf(content) === status) &&
            (category === null || content.category === category) &&
            (part === null ||
              [content.name, content.alias, content.description].some(
                (text) => text !== null && caseFold(text).includes(part)
              ))
        )
        const ordered = matching.toSorted((a, b) => b.updatedAt - a.updatedAt || newestFirst(a, b))
        const { items, total } = pageOf(ordered, page)
        return { items: yield* reads.withVersions(projectId, items), total, ...page }
      })

      const aliased = (projectId: ProjectId, alias: string | null | undefined) =>
        ({ _tag: "ResourceNamed", projectId, kind: "template", parent: "", name: alias ?? "" }) as const

      const create = Effect.fn("Templates.create")(function* (projectId: ProjectId, asked: CreateTemplate) {
        const request = yield* validated(parseCreateTemplate, asked)
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, idsAtOnce)
        return yield* decideAndCommit(
          store,
          store.read([
            aliased(projectId, request.alias),
            { _tag: "ResourceCount", projectId, kind: "template", parent: "" }
          ]),
          ([holder, count]) => createTemplate(request, { now, ids: block, projectId, aliased: holder, count })
        )
      })

      const newestVersion = (projectId: ProjectId, id: string) =>
        ({ _tag: "Resources", projectId, kind: "templateVersion", parent: id, after: null, limit: 1 }) as const

      const updateFacts = Effect.fnUntraced(function* (
        projectId: ProjectId,
        idOrAlias: string,
        alias: string | null | undefined
      ) {
        const detail = yield* reads.detail(projectId, idOrAlias)
        const [holder, [newest]] = yield* store.read([
          aliased(projectId, alias),
          newestVersion(projectId, detail?.template.id ?? "")
        ])
        const versions = newest?.kind === "templateVersion" ? newest.content.versionNumber : 0
        return { detail, aliased: holder, versions }
      })

      const update = Effect.fn("Templates.update")(function* (
        projectId: ProjectId,
        idOrAlias: string,
        asked: UpdateTemplate
      ) {
        const request = yield* validated(parseUpdateTemplate, asked)
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, idsAtOnce)
        return yield* decideAndCommit(store, updateFacts(projectId, idOrAlias, request.alias), (found) =>
          updateTemplate(idOrAlias, request, { now, ids: block, ...found })
        )
      })

      const publish = Effect.fn("Templates.publish")(function* (projectId: ProjectId, idOrAlias: string) {
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, 1)
        return yield* decideAndCommit(store, reads.detail(projectId, idOrAlias), (detail) =>
          publishTemplate(idOrAlias, { now, ids: block, detail })
        )
      })

      const archive = Effect.fn("Templates.archive")(function* (projectId: ProjectId, idOrAlias: string) {
        const now = yield* Clock.currentTimeMillis
        return yield* decideAndCommit(store, reads.find(projectId, idOrAlias), (template) =>
          archiveTemplate(idOrAlias, template, now)
        )
      })

      const variables = Effect.fn("Templates.variables")(function* (projectId: ProjectId, idOrAlias: string) {
        const { draft, published } = yield* orNotFound(idOrAlias, yield* reads.summary(projectId, idOrAlias))
        return (draft ?? published)?.content.variables ?? []
      })

      const versions = Effect.fn("Templates.versions")(function* (
        projectId: ProjectId,
        idOrAlias: string,
        { limit, beforeVersion }: { readonly limit: number; readonly beforeVersion: number | null }
      ) {
        const { id } = yield* orNotFound(idOrAlias, yield* reads.find(projectId, idOrAlias))
        if (beforeVersion !== null && beforeVersion <= 1) return []
        const [before] = yield* store.read([
          { _tag: "ResourceNamed", projectId, kind: "templateVersion", parent: id, name: String(beforeVersion) }
        ])
        // When `beforeVersion` does not exist yet, all versions are before it.
        const after = before === null ? null : { createdAt: before.createdAt, id: before.id }
        const [found] = yield* store.read([{ ...newestVersion(projectId, id), limit, after }])
        const newest = found as ReadonlyArray<ResourceOf<"templateVersion">>
        const withBodies: ReadonlyArray<TemplateVersionItem> = yield* reads.withBodies(
          projectId,
          versionsWithBodies(newest)
        )
        return [...withBodies, ...newest.slice(withBodies.length).map((version) => ({ version, body: null }))]
      })

      const preview = Effect.fn("Templates.preview")(function* (
        projectId: ProjectId,
        idOrAlias: string,
        asked: PreviewTemplate
      ) {
        const { variables: values = {}, version } = yield* validated(parsePreviewTemplate, asked)
        const { draft, published } = yield* get(projectId, idOrAlias)
        const chosen = version === "draft" ? draft : version === "published" ? published : (draft ?? published)
        const content = contentOf(yield* orNotFound(idOrAlias, chosen))
        const issues = publishingIssues(content)
        const rendered = issues.length > 0 ? Result.fail(issues) : renderTemplate(content, values, "variables")
        if (Result.isFailure(rendered)) return yield* new InvalidArgument({ context: "body", issues: rendered.failure })
        return rendered.success
      })

      return { page, get, create, update, publish, archive, variables, versions, preview }
    })
  )
}
