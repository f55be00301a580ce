/**
 * Creates, changes, publishes and archives a template together with its versions. Source: decision 0027.
 */
import { Result } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { StoredTemplate } from "../../domain/template/Template.ts"
import type { TemplateAbout } from "../../domain/template/TemplateContent.ts"
import { emptyParts } from "../../domain/template/TemplateContent.ts"
import type { ValidCreateTemplate, ValidUpdateTemplate } from "../../domain/template/TemplateInput.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { NameTaken, RecordNotFound } from "../../domain/store/RecordFailure.ts"
import { TemplateNotEditable } from "../../domain/template/TemplateFailure.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput, unchanged } from "../store/Decision.ts"
import { publishingIssues } from "./renderTemplate.ts"
import type { TemplateAndDraft } from "./templateContent.ts"
import { bodyFields, mergeTemplateInput, partsFields } from "./templateContent.ts"
import type { TemplateCounts } from "./templateLimit.ts"
import { tooManyTemplates } from "./templateLimit.ts"
import type { VersionPosition } from "./templateVersion.ts"
import {
  changedTemplate,
  newVersion,
  templatePartsOf,
  publishedVersion,
  putRecord,
  revisedDraft,
  saveVersion
} from "./templateVersion.ts"

/** The fields of a template of which nothing is set. */
export const emptyAbout: TemplateAbout = { name: "", alias: null, description: null, category: null, locale: null }

export interface CreateTemplateFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The existing template with the alias of the input. */
  readonly aliased: { readonly id: string } | null
  readonly counts: TemplateCounts
}

/** Makes a template with version 1 as its draft. Nothing is written yet. */
export const newTemplate = (
  { about, parts }: TemplateAndDraft,
  { now, ids, projectId }: Pick<CreateTemplateFacts, "now" | "ids" | "projectId">
) => {
  const id = idAt(ids, "tpl", 0)
  const draft = newVersion({ id, projectId }, { versionNumber: 1, createdAt: now }, parts, { now, ids })
  const template: ResourceOf<"template"> = {
    id,
    projectId,
    kind: "template",
    parent: "",
    name: about.alias,
    content: { ...about, draftVersionId: draft.version.id, publishedVersionId: null, archivedAt: null },
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return { template, draft }
}

/** Creates a template with version 1 as its draft. */
export const createTemplate = (
  input: ValidCreateTemplate,
  facts: CreateTemplateFacts
): Result.Result<Decision<StoredTemplate>, InvalidArgument | NameTaken | TooManyRecords> => {
  const merged = mergeTemplateInput(input, { about: emptyAbout, parts: emptyParts }, facts.ids)
  if (Result.isFailure(merged)) return invalidInput(merged.failure)
  if (facts.aliased !== null) return Result.fail(new NameTaken({ record: "template", field: "alias" }))
  const full = tooManyTemplates(facts.counts)
  if (full !== undefined) return Result.fail(full)
  const { template, draft } = newTemplate(merged.success, facts)
  return Result.succeed({
    answer: { template, draft, published: null },
    changes: [putRecord(template, null), putRecord(draft.version, null), putRecord(draft.body, null)]
  })
}

export interface TemplateFacts {
  readonly now: Instant
  readonly existing: StoredTemplate | null
}

export interface UpdateTemplateFacts extends TemplateFacts {
  readonly ids: IdBlock
  /** The existing template with the alias of the input. */
  readonly aliased: { readonly id: string } | null
  /** The version with the latest time; `null` if there is none. */
  readonly newest: VersionPosition | null
}

type Editable = Result.Result<StoredTemplate, RecordNotFound | TemplateNotEditable>

const editable = (idOrAlias: string, existing: StoredTemplate | null): Editable =>
  existing === null
    ? Result.fail(new RecordNotFound({ record: "template", id: idOrAlias }))
    : existing.template.content.archivedAt !== null
      ? Result.fail(new TemplateNotEditable({ templateId: idOrAlias, reason: "archived" }))
      : Result.succeed(existing)

type Updated = Result.Result<
  Decision<StoredTemplate>,
  InvalidArgument | NameTaken | RecordNotFound | TemplateNotEditable
>
type Published = Result.Result<Decision<StoredTemplate>, InvalidArgument | RecordNotFound | TemplateNotEditable>

/** Updates the draft, or makes a draft from the published version. A published version never changes. */
export const updateTemplate = (idOrAlias: string, input: ValidUpdateTemplate, facts: UpdateTemplateFacts): Updated =>
  Result.flatMap(editable(idOrAlias, facts.existing), (existing): Updated => {
    const { template, draft, published } = existing
    const { now, ids, aliased } = facts
    const base = draft ?? published
    const before = { about: template.content, parts: base === null ? emptyParts : templatePartsOf(base) }
    const merged = mergeTemplateInput(input, before, ids)
    if (Result.isFailure(merged)) return invalidInput(merged.failure)
    if (aliased !== null && aliased.id !== template.id)
      return Result.fail(new NameTaken({ record: "template", field: "alias" }))
    const { about, parts } = merged.success
    const has = (field: keyof ValidUpdateTemplate) => input[field] !== undefined
    const revised = partsFields.some(has)
      ? revisedDraft(existing, { parts, hasNewBody: bodyFields.some(has) }, facts)
      : { draft, changes: [] }
    const draftVersionId = revised.draft?.version.id ?? null
    const after = changedTemplate(template, { ...template.content, ...about, draftVersionId }, now)
    return Result.succeed({
      answer: { template: after, draft: revised.draft, published },
      changes: [putRecord(after, template.revision), ...revised.changes]
    })
  })

/** Publishes the draft, so that sends use it. The previously published version becomes `saved`. */
export const publishTemplate = (idOrAlias: string, { now, existing }: TemplateFacts): Published =>
  Result.flatMap(editable(idOrAlias, existing), ({ template, draft, published }): Published => {
    if (draft === null) return Result.fail(new TemplateNotEditable({ templateId: idOrAlias, reason: "no_draft" }))
    const issues = publishingIssues(templatePartsOf(draft))
    if (issues.length > 0) return invalidInput(issues)
    const live = publishedVersion(draft.version, now)
    const content = { ...template.content, draftVersionId: null, publishedVersionId: live.id }
    const after = changedTemplate(template, content, now)
    return Result.succeed({
      answer: { template: after, draft: null, published: { version: live, body: draft.body } },
      changes: [
        putRecord(after, template.revision),
        putRecord(live, draft.version.revision),
        ...(published === null ? [] : [saveVersion(published.version, now)])
      ]
    })
  })

export interface ArchiveTemplateFacts {
  readonly now: Instant
  readonly existing: ResourceOf<"template"> | null
}

/** Archives a template. It remains for the messages that used it, but new sends cannot use it. Has no effect if it is already archived. */
export const archiveTemplate = (
  idOrAlias: string,
  { now, existing }: ArchiveTemplateFacts
): Result.Result<Decision<null>, RecordNotFound> => {
  if (existing === null) return Result.fail(new RecordNotFound({ record: "template", id: idOrAlias }))
  if (existing.content.archivedAt !== null) return Result.succeed(unchanged(null))
  // The alias becomes free for another template.
  const after = changedTemplate(existing, { ...existing.content, alias: null, archivedAt: now }, now)
  return Result.succeed({ answer: null, changes: [putRecord(after, existing.revision)] })
}
