/**
 * Creates, changes, publishes and archives a template together with its versions. Source: decision 0027.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import { definitionsMax } from "../domain/Definition.ts"
import { InvalidArgument, NameTaken, RecordNotFound, TemplateNotEditable, TooManyRecords } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type {
  AskedVariable,
  CreateTemplate,
  Template,
  TemplateContent,
  TemplateVariable,
  TemplateVersion,
  UpdateTemplate
} from "../domain/Template.ts"
import { emptyContent } from "../domain/Template.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"
import { publishingIssues } from "./renderTemplate.ts"

type TemplateRecord = DefinitionOf<"template">
type VersionRecord = DefinitionOf<"templateVersion">

/** A template with the versions that matter. */
export interface TemplateDetail {
  readonly template: TemplateRecord
  readonly draft: VersionRecord | null
  readonly published: VersionRecord | null
}

const invalid = (issues: ReadonlyArray<Issue>) => Result.fail(new InvalidArgument({ context: "body", issues }))

const put = (definition: TemplateRecord | VersionRecord, replaces: number | null): Change => ({
  _tag: "PutDefinition",
  definition,
  replaces
})

/** A variable keeps its id for as long as it keeps its key. */
const variablesOf = (
  asked: ReadonlyArray<AskedVariable>,
  standing: ReadonlyArray<TemplateVariable>,
  ids: IdBlock
): Result.Result<ReadonlyArray<TemplateVariable>, ReadonlyArray<Issue>> => {
  const issues: Array<Issue> = []
  const seen = new Set<string>()
  const variables = asked.map(({ key, type, required = false, fallback_value: fallbackValue = null }, n) => {
    if (seen.has(key)) issues.push(issue(["variables", n, "key"], "invalid_value", "is declared twice"))
    seen.add(key)
    if (fallbackValue !== null && typeof fallbackValue !== type)
      issues.push(issue(["variables", n, "fallback_value"], "invalid_type", `must be a ${type}`))
    const id = standing.find((one) => one.key === key)?.id ?? idAt(ids, "var", n + 2)
    return { id, key, type, required, fallbackValue }
  })
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(variables)
}

const orKept = <A>(asked: A | undefined, kept: A): A => (asked === undefined ? kept : asked)

const contentOf = (
  request: UpdateTemplate,
  standing: TemplateContent,
  ids: IdBlock
): Result.Result<TemplateContent, ReadonlyArray<Issue>> =>
  Result.map(
    request.variables === undefined
      ? Result.succeed(standing.variables)
      : variablesOf(request.variables, standing.variables, ids),
    (variables) => ({
      subject: orKept(request.subject, standing.subject),
      previewText: orKept(request.preview_text, standing.previewText),
      fromName: orKept(request.from_name, standing.fromName),
      fromAddress: orKept(request.from_address, standing.fromAddress),
      replyTo: orKept(request.reply_to, standing.replyTo),
      html: orKept(request.html, standing.html),
      text: orKept(request.text, standing.text),
      variables
    })
  )

const contentFields = [
  "subject",
  "preview_text",
  "from_name",
  "from_address",
  "reply_to",
  "html",
  "text",
  "variables"
] as const satisfies ReadonlyArray<keyof UpdateTemplate>

const newVersion = (
  template: { readonly id: string; readonly projectId: ProjectId },
  versionNumber: number,
  content: TemplateContent,
  now: Instant,
  ids: IdBlock
): VersionRecord => ({
  id: idAt(ids, "tpv", 1),
  projectId: template.projectId,
  kind: "templateVersion",
  parent: template.id,
  name: String(versionNumber),
  content: { ...content, versionNumber, status: "draft", publishedAt: null },
  createdAt: now,
  updatedAt: now,
  revision: 1
})

export interface CreateTemplateFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  readonly aliased: { readonly id: string } | null
  readonly count: number
}

export const createTemplate = (
  request: CreateTemplate,
  { now, ids, projectId, aliased, count }: CreateTemplateFacts
): Result.Result<Decision<TemplateDetail>, InvalidArgument | NameTaken | TooManyRecords> => {
  if (aliased !== null) return Result.fail(new NameTaken({ record: "template", field: "alias" }))
  if (count >= definitionsMax) return Result.fail(new TooManyRecords({ record: "template", max: definitionsMax }))
  const content = contentOf(request, emptyContent, ids)
  if (Result.isFailure(content)) return invalid(content.failure)
  const id = idAt(ids, "tpl", 0)
  const draft = newVersion({ id, projectId }, 1, content.success, now, ids)
  const template: TemplateRecord = {
    id,
    projectId,
    kind: "template",
    parent: "",
    name: request.alias ?? null,
    content: {
      name: request.name,
      alias: request.alias ?? null,
      description: request.description ?? null,
      category: request.category ?? null,
      locale: request.locale ?? null,
      draftVersionId: draft.id,
      publishedVersionId: null,
      archivedAt: null
    },
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({
    answer: { template, draft, published: null },
    changes: [put(template, null), put(draft, null)]
  })
}

export interface TemplateFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly detail: TemplateDetail | null
}

const changed = (template: TemplateRecord, content: Template, now: Instant): TemplateRecord => ({
  ...template,
  name: content.alias,
  content,
  updatedAt: now,
  revision: template.revision + 1
})

const versionChanged = (version: VersionRecord, content: TemplateVersion, now: Instant): VersionRecord => ({
  ...version,
  content,
  updatedAt: now,
  revision: version.revision + 1
})

type Editable = Result.Result<TemplateDetail, RecordNotFound | TemplateNotEditable>

const editable = (templateId: string, detail: TemplateDetail | null): Editable =>
  detail === null
    ? Result.fail(new RecordNotFound({ record: "template", id: templateId }))
    : detail.template.content.archivedAt !== null
      ? Result.fail(new TemplateNotEditable({ templateId, reason: "archived" }))
      : Result.succeed(detail)

type Updated = Result.Result<
  Decision<TemplateDetail>,
  InvalidArgument | NameTaken | RecordNotFound | TemplateNotEditable
>
type Published = Result.Result<Decision<TemplateDetail>, InvalidArgument | RecordNotFound | TemplateNotEditable>

/** Changes the draft in place, or makes one from the published version. What is published never changes. */
export const updateTemplate = (
  templateId: string,
  request: UpdateTemplate,
  facts: TemplateFacts & { readonly aliased: { readonly id: string } | null; readonly versions: number }
): Updated =>
  Result.flatMap(editable(templateId, facts.detail), ({ template, draft, published }): Updated => {
    const { now, ids, aliased } = facts
    if (aliased !== null && aliased.id !== template.id)
      return Result.fail(new NameTaken({ record: "template", field: "alias" }))
    const standing = (draft ?? published)?.content ?? emptyContent
    const content = contentOf(request, standing, ids)
    if (Result.isFailure(content)) return invalid(content.failure)
    const rewritten = contentFields.some((field) => request[field] !== undefined)
    const next = !rewritten
      ? draft
      : draft === null
        ? newVersion(template, facts.versions + 1, content.success, now, ids)
        : versionChanged(draft, { ...draft.content, ...content.success }, now)
    const after = changed(
      template,
      {
        ...template.content,
        name: request.name ?? template.content.name,
        alias: orKept(request.alias, template.content.alias),
        description: orKept(request.description, template.content.description),
        category: orKept(request.category, template.content.category),
        locale: orKept(request.locale, template.content.locale),
        draftVersionId: next?.id ?? null
      },
      now
    )
    return Result.succeed({
      answer: { template: after, draft: next, published },
      changes: [
        put(after, template.revision),
        ...(next === null || !rewritten ? [] : [put(next, draft === null ? null : draft.revision)])
      ]
    })
  })

/** The draft becomes what sends use; the version before it is kept as saved. */
export const publishTemplate = (templateId: string, { now, detail }: TemplateFacts): Published =>
  Result.flatMap(editable(templateId, detail), ({ template, draft, published }): Published => {
    if (draft === null) return Result.fail(new TemplateNotEditable({ templateId, reason: "no_draft" }))
    const issues = publishingIssues(draft.content)
    if (issues.length > 0) return invalid(issues)
    const live = versionChanged(draft, { ...draft.content, status: "published", publishedAt: now }, now)
    const after = changed(template, { ...template.content, draftVersionId: null, publishedVersionId: live.id }, now)
    return Result.succeed({
      answer: { template: after, draft: null, published: live },
      changes: [
        put(after, template.revision),
        put(live, draft.revision),
        ...(published === null
          ? []
          : [put(versionChanged(published, { ...published.content, status: "saved" }, now), published.revision)])
      ]
    })
  })

/** An archived template is kept for what was sent with it, and sends nothing more. Again: the same. */
export const archiveTemplate = (
  templateId: string,
  { now, detail }: TemplateFacts
): Result.Result<Decision<null>, RecordNotFound> => {
  if (detail === null) return Result.fail(new RecordNotFound({ record: "template", id: templateId }))
  const { template } = detail
  if (template.content.archivedAt !== null) return Result.succeed(settled(null))
  // The alias goes back: another template may have it.
  const after = changed(template, { ...template.content, alias: null, archivedAt: now }, now)
  return Result.succeed({ answer: null, changes: [put(after, template.revision)] })
}
