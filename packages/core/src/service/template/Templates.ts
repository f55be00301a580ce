/**
 * Creates, updates, publishes, previews and archives templates. Source: decision 0027.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ensureTemplate } from "../../decide/template/ensureTemplate.ts"
import { previewTemplate } from "../../decide/template/previewTemplate.ts"
import type { RenderedTemplate } from "../../decide/template/renderTemplate.ts"
import { archiveTemplate, createTemplate, publishTemplate, updateTemplate } from "../../decide/template/template.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { Page } from "../../domain/store/Paging.ts"
import { pageOf } from "../../domain/store/Paging.ts"
import type {
  PublishedTemplate,
  Template,
  TemplateSummary,
  TemplateVersionItem
} from "../../domain/template/Template.ts"
import {
  toTemplate,
  toTemplateSummary,
  toTemplateVersion,
  toTemplateVersionSummary
} from "../../domain/template/Template.ts"
import type { TemplateVariable } from "../../domain/template/TemplateContent.ts"
import { matchingTemplates, versionsWithBodies } from "../../domain/template/templateListing.ts"
import type {
  CreateTemplateInput,
  EnsureTemplateInput,
  ListTemplatesInput,
  ListTemplateVersionsInput,
  PreviewTemplateInput,
  UpdateTemplateInput
} from "../../domain/template/TemplateInput.ts"
import {
  parseCreateTemplate,
  parseEnsureTemplate,
  parseListTemplates,
  parseListTemplateVersions,
  parsePreviewTemplate,
  parseUpdateTemplate
} from "../../domain/template/TemplateInput.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { NameTaken, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { TemplateNotEditable } from "../../domain/template/TemplateFailure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { templateFacts } from "../../internal/template/templateFacts.ts"
import { templateReads } from "../../internal/template/templateReads.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"

/** How many ids are reserved at once: more than one call can use. */
const idsAtOnce = 200

/**
 * The templates of a project. `idOrAlias` is the id or the alias of a template. Each method fails with `InvalidArgument` when its input is not
 * valid, and with `StoreUnavailable` when the store cannot be reached.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Templates } from "@mailkeep/core"
 *
 * export const ensureReceipt = Effect.gen(function* () {
 *   const templates = yield* Templates
 *   const variables = [{ key: "order", type: "string", required: true }] as const
 *   const input = { alias: "receipt", name: "Receipt", subject: "Order {{order}}", text: "Thank you.", variables }
 *   return yield* templates.ensure("prj_acme", input)
 * })
 * ```
 */
export class Templates extends Context.Service<
  Templates,
  {
    /** Lists templates without bodies, the most recently updated first. */
    readonly list: (
      caller: Caller,
      input?: ListTemplatesInput
    ) => Effect.Effect<Page<TemplateSummary>, InvalidArgument | StoreUnavailable>
    /** Returns a template. Fails with `RecordNotFound` when no template has this id or alias. */
    readonly get: (
      caller: Caller,
      idOrAlias: string
    ) => Effect.Effect<Template, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Creates a template. Version 1 is its draft. Fails with `NameTaken` when another template has the alias, and with `TooManyRecords` when
     * the project has 1,000 templates that are not archived, or 10,000 in all.
     */
    readonly create: (
      caller: Caller,
      input: CreateTemplateInput
    ) => Effect.Effect<Template, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    /**
     * Makes the template with this alias what the input says, and publishes it. A program may call this at every start.
     *
     * Creates the template when no template has the alias. When the published content differs, publishes the draft if the draft has the content of
     * the input, and otherwise a new version. Writes a changed name, description, category or locale without a new version. Writes nothing when
     * nothing differs. A field that is absent from the input is cleared. A draft with other content stays a draft.
     * Fails with `InvalidArgument` when the content cannot be published, and with `TooManyRecords` when the project has 1,000 templates that are
     * not archived, or 10,000 in all.
     */
    readonly ensure: (
      caller: Caller,
      input: EnsureTemplateInput
    ) => Effect.Effect<PublishedTemplate, InvalidArgument | TooManyRecords | StoreUnavailable>
    /**
     * Changes a template and its draft. Makes a draft from the published version when there is no draft, and the input has a part of a version.
     * A published version never changes. Fails with `RecordNotFound`, with `NameTaken` when another template has the alias, and with
     * `TemplateNotEditable` when the template is archived.
     */
    readonly update: (
      caller: Caller,
      idOrAlias: string,
      input: UpdateTemplateInput
    ) => Effect.Effect<Template, InvalidArgument | NameTaken | RecordNotFound | TemplateNotEditable | StoreUnavailable>
    /**
     * Publishes the draft, so that sends use it. Fails with `RecordNotFound`, and with `TemplateNotEditable` when the template is archived or
     * has no draft. Fails with `InvalidArgument` when the draft lacks a subject or a body, or uses a variable that it does not declare.
     */
    readonly publish: (
      caller: Caller,
      idOrAlias: string
    ) => Effect.Effect<Template, InvalidArgument | RecordNotFound | TemplateNotEditable | StoreUnavailable>
    /**
     * Archives a template, so that sends with it are refused. Its alias becomes free. Has no effect on an archived template.
     * Fails with `RecordNotFound`.
     */
    readonly archive: (
      caller: Caller,
      idOrAlias: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Lists the variables of the draft, or of the published version when there is no draft. Fails with `RecordNotFound`. */
    readonly listVariables: (
      caller: Caller,
      idOrAlias: string
    ) => Effect.Effect<ReadonlyArray<TemplateVariable>, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Lists versions, newest first. Fewer versions than `limit` mean that there are no more. The newest versions have their bodies, up to
     * 4 MiB (`versionBodiesBytesMax`) in total. Fails with `RecordNotFound`.
     */
    readonly listVersions: (
      caller: Caller,
      idOrAlias: string,
      input?: ListTemplateVersionsInput
    ) => Effect.Effect<ReadonlyArray<TemplateVersionItem>, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Renders the content of a send. Writes nothing. Fails with `RecordNotFound` when there is no such template or version, and with
     * `InvalidArgument` when the version cannot be published or a value does not fit its variable.
     */
    readonly preview: (
      caller: Caller,
      idOrAlias: string,
      input?: PreviewTemplateInput
    ) => Effect.Effect<RenderedTemplate, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Templates") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const ids = yield* IdSource

      const reads = templateReads(store)
      const facts = templateFacts(store)

      const orNotFound = <A>(id: string, found: A | null): Effect.Effect<A, RecordNotFound> =>
        found === null ? Effect.fail(new RecordNotFound({ record: "template", id })) : Effect.succeed(found)

      const get = Effect.fn("Templates.get")(function* (caller: Caller, idOrAlias: string) {
        const projectId = yield* validProject(caller, { idOrAlias })
        return toTemplate(yield* orNotFound(idOrAlias, yield* reads.detail(projectId, idOrAlias)))
      })

      const list = Effect.fn("Templates.list")(function* (caller: Caller, input: ListTemplatesInput = {}) {
        const projectId = yield* validProject(caller)
        const { page, ...filters } = yield* validated(parseListTemplates, input, "filters")
        const matching = matchingTemplates(yield* reads.all(projectId), filters)
        const { items, total } = pageOf(matching, page)
        const withVersions = yield* reads.withVersions(projectId, items)
        return { items: withVersions.map(toTemplateSummary), total, ...page }
      })

      const create = Effect.fn("Templates.create")(function* (caller: Caller, input: CreateTemplateInput) {
        const projectId = yield* validProject(caller)
        const valid = yield* validated(parseCreateTemplate, input)
        const clock = yield* clockFacts(ids, idsAtOnce)
        const made = yield* commit(
          facts.forCreate(projectId, valid.alias),
          (found) => createTemplate(valid, { ...clock, projectId, ...found }),
          "bounded"
        )
        return toTemplate(made)
      })

      const ensure = Effect.fn("Templates.ensure")(function* (caller: Caller, input: EnsureTemplateInput) {
        const projectId = yield* validProject(caller)
        const valid = yield* validated(parseEnsureTemplate, input)
        const clock = yield* clockFacts(ids, idsAtOnce)
        const ensured = yield* commit(
          facts.forEnsure(projectId, valid.alias),
          (found) => ensureTemplate(valid, { ...clock, projectId, ...found }),
          "bounded"
        )
        return { ...toTemplate(ensured), published: toTemplateVersion(ensured.published) }
      })

      const update = Effect.fn("Templates.update")(function* (
        caller: Caller,
        idOrAlias: string,
        input: UpdateTemplateInput
      ) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const valid = yield* validated(parseUpdateTemplate, input)
        const clock = yield* clockFacts(ids, idsAtOnce)
        const updated = yield* commit(
          facts.forUpdate(projectId, idOrAlias, valid.alias),
          (found) => updateTemplate(idOrAlias, valid, { ...clock, ...found }),
          "bounded"
        )
        return toTemplate(updated)
      })

      const publish = Effect.fn("Templates.publish")(function* (caller: Caller, idOrAlias: string) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const now = yield* Clock.currentTimeMillis
        const published = yield* commit(
          facts.forPublish(projectId, idOrAlias),
          (found) => publishTemplate(idOrAlias, { now, ...found }),
          "bounded"
        )
        return toTemplate(published)
      })

      const archive = Effect.fn("Templates.archive")(function* (caller: Caller, idOrAlias: string) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const now = yield* Clock.currentTimeMillis
        return yield* commit(
          facts.forArchive(projectId, idOrAlias),
          (found) => archiveTemplate(idOrAlias, { now, ...found }),
          "bounded"
        )
      })

      const listVariables = Effect.fn("Templates.listVariables")(function* (caller: Caller, idOrAlias: string) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const { draft, published } = yield* orNotFound(idOrAlias, yield* reads.summary(projectId, idOrAlias))
        return (draft ?? published)?.content.variables ?? []
      })

      const listVersions = Effect.fn("Templates.listVersions")(function* (
        caller: Caller,
        idOrAlias: string,
        input: ListTemplateVersionsInput = {}
      ) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const listing = yield* validated(parseListTemplateVersions, input, "filters")
        const { id } = yield* orNotFound(idOrAlias, yield* reads.find(projectId, idOrAlias))
        const newest = yield* reads.versions(projectId, id, listing)
        const withBodies = yield* reads.withBodies(projectId, versionsWithBodies(newest))
        return [...withBodies.map(toTemplateVersion), ...newest.slice(withBodies.length).map(toTemplateVersionSummary)]
      })

      const preview = Effect.fn("Templates.preview")(function* (
        caller: Caller,
        idOrAlias: string,
        input: PreviewTemplateInput = {}
      ) {
        const projectId = yield* validProject(caller, { idOrAlias })
        const valid = yield* validated(parsePreviewTemplate, input)
        const existing = yield* reads.detail(projectId, idOrAlias)
        return yield* Effect.fromResult(previewTemplate(idOrAlias, valid, { existing }))
      })

      return { list, get, create, ensure, update, publish, archive, listVariables, listVersions, preview }
    })
  )
}
