/**
 * Creates, changes, publishes and archives a template together with its versions. Source: decision 0027.
 */
import { Result } from "effect"
import type { Change } from "../domain/Change.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import { resourcesMax } from "../domain/Resource.ts"
import { InvalidArgument, NameTaken, RecordNotFound, TemplateNotEditable, TooManyRecords } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { Issue } from "../domain/Issue.ts"
import type { ProjectId } from "../domain/Project.ts"
import type {
  CreateTemplate,
  Template,
  TemplateBody,
  TemplateContent,
  TemplateSettings,
  TemplateVersion,
  UpdateTemplate
} from "../domain/Template.ts"
import { emptyContent } from "../domain/Template.ts"
import { utf8Octets } from "../domain/TextLength.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"
import { publishingIssues } from "./renderTemplate.ts"
import { bodyFields, contentFields, textAfter } from "./templateContent.ts"

type TemplateRecord = ResourceOf<"template">
type VersionRecord = ResourceOf<"templateVersion">
type BodyRecord = ResourceOf<"templateBody">

/** A version with its bodies. */
export interface TemplateVersionDetail {
  readonly version: VersionRecord
  readonly body: BodyRecord
}

/** A template with its draft and its published version, without their bodies. */
export interface TemplateSummary {
  readonly template: TemplateRecord
  readonly draft: VersionRecord | null
  readonly published: VersionRecord | null
}

/** A template with its draft and its published version. */
export interface TemplateDetail {
  readonly template: TemplateRecord
  readonly draft: TemplateVersionDetail | null
  readonly published: TemplateVersionDetail | null
}

/** Returns the whole content of a version. */
export const contentOf = ({ version, body }: TemplateVersionDetail): TemplateContent => ({
  ...version.content,
  ...body.content
})

const invalid = (issues: ReadonlyArray<Issue>) => Result.fail(new InvalidArgument({ context: "body", issues }))

const put = (resource: TemplateRecord | VersionRecord | BodyRecord, replaces: number | null): Change => ({
  _tag: "PutResource",
  resource,
  replaces
})

/** Returns the stored content of a version with this body. */
const versionContent = (
  { subject, previewText, fromName, fromAddress, replyTo, variables }: TemplateSettings,
  body: BodyRecord
) => ({
  subject,
  previewText,
  fromName,
  fromAddress,
  replyTo,
  variables,
  bodyId: body.id,
  bodyOctets: utf8Octets(body.content.html ?? "") + utf8Octets(body.content.text ?? "")
})

const newBody = (
  version: { readonly id: string; readonly projectId: ProjectId },
  { html, text }: TemplateBody,
  { now, ids }: { readonly now: Instant; readonly ids: IdBlock }
): BodyRecord => ({
  id: idAt(ids, "tpb", 1),
  projectId: version.projectId,
  kind: "templateBody",
  parent: version.id,
  name: null,
  content: { html, text },
  createdAt: now,
  updatedAt: now,
  revision: 1
})

const newVersion = (
  template: { readonly id: string; readonly projectId: ProjectId },
  versionNumber: number,
  content: TemplateSettings,
  body: BodyRecord,
  { now, ids }: { readonly now: Instant; readonly ids: IdBlock }
): VersionRecord => ({
  id: idAt(ids, "tpv", 1),
  projectId: template.projectId,
  kind: "templateVersion",
  parent: template.id,
  name: String(versionNumber),
  content: { ...versionContent(content, body), versionNumber, status: "draft", publishedAt: null },
  createdAt: now,
  updatedAt: now,
  revision: 1
})

export interface CreateTemplateFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** The existing template with the requested alias. */
  readonly aliased: { readonly id: string } | null
  /** The number of templates in the project. */
  readonly count: number
}

const unnamed = { name: "", alias: null, description: null, category: null, locale: null }

/** Creates a template with version 1 as its draft. */
export const createTemplate = (
  request: CreateTemplate,
  { now, ids, projectId, aliased, count }: CreateTemplateFacts
): Result.Result<Decision<TemplateDetail>, InvalidArgument | NameTaken | TooManyRecords> => {
  if (aliased !== null) return Result.fail(new NameTaken({ record: "template", field: "alias" }))
  if (count >= resourcesMax) return Result.fail(new TooManyRecords({ record: "template", max: resourcesMax }))
  const text = textAfter(request, { about: unnamed, content: emptyContent }, ids)
  if (Result.isFailure(text)) return invalid(text.failure)
  const { about, content } = text.success
  const id = idAt(ids, "tpl", 0)
  const body = newBody({ id: idAt(ids, "tpv", 1), projectId }, content, { now, ids })
  const version = newVersion({ id, projectId }, 1, content, body, { now, ids })
  const template: TemplateRecord = {
    id,
    projectId,
    kind: "template",
    parent: "",
    name: about.alias,
    content: { ...about, draftVersionId: version.id, publishedVersionId: null, archivedAt: null },
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  return Result.succeed({
    answer: { template, draft: { version, body }, published: null },
    changes: [put(template, null), put(version, null), put(body, null)]
  })
}

export interface TemplateFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly detail: TemplateDetail | null
}

export interface UpdateTemplateFacts extends TemplateFacts {
  /** The existing template with the requested alias. */
  readonly aliased: { readonly id: string } | null
  /** The number of the newest version. */
  readonly versions: number
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

interface Revised {
  readonly draft: TemplateVersionDetail
  readonly changes: ReadonlyArray<Change>
}

/** Returns the draft with new content, and the changes to write. A body that another version shares is not changed. */
const revisedDraft = (
  { template, draft, published }: TemplateDetail,
  content: TemplateContent,
  hasNewBody: boolean,
  { now, ids, versions }: UpdateTemplateFacts
): Revised => {
  const shared = draft?.body ?? published?.body
  const owner = { id: draft?.version.id ?? idAt(ids, "tpv", 1), projectId: template.projectId }
  const owned = draft !== null && draft.body.parent === draft.version.id ? draft.body : null
  const { html, text } = content
  const body =
    shared !== undefined && !hasNewBody
      ? shared
      : owned === null
        ? newBody(owner, content, { now, ids })
        : { ...owned, content: { html, text }, updatedAt: now, revision: owned.revision + 1 }
  const version =
    draft === null
      ? newVersion(template, versions + 1, content, body, { now, ids })
      : versionChanged(draft.version, { ...draft.version.content, ...versionContent(content, body) }, now)
  return {
    draft: { version, body },
    changes: [
      put(version, draft?.version.revision ?? null),
      ...(body === shared ? [] : [put(body, owned?.revision ?? null)])
    ]
  }
}

/** Updates the draft, or makes a draft from the published version. A published version never changes. */
export const updateTemplate = (templateId: string, request: UpdateTemplate, facts: UpdateTemplateFacts): Updated =>
  Result.flatMap(editable(templateId, facts.detail), (detail): Updated => {
    const { template, draft, published } = detail
    const { now, ids, aliased } = facts
    if (aliased !== null && aliased.id !== template.id)
      return Result.fail(new NameTaken({ record: "template", field: "alias" }))
    const base = draft ?? published
    const existing = { about: template.content, content: base === null ? emptyContent : contentOf(base) }
    const text = textAfter(request, existing, ids)
    if (Result.isFailure(text)) return invalid(text.failure)
    const { about, content } = text.success
    const asksFor = (field: keyof UpdateTemplate) => request[field] !== undefined
    const revised: { readonly draft: TemplateVersionDetail | null; readonly changes: ReadonlyArray<Change> } =
      contentFields.some(asksFor)
        ? revisedDraft(detail, content, bodyFields.some(asksFor), facts)
        : { draft, changes: [] }
    const draftVersionId = revised.draft?.version.id ?? null
    const after = changed(template, { ...template.content, ...about, draftVersionId }, now)
    return Result.succeed({
      answer: { template: after, draft: revised.draft, published },
      changes: [put(after, template.revision), ...revised.changes]
    })
  })

/** Publishes the draft, so that sends use it. The previously published version becomes `saved`. */
export const publishTemplate = (templateId: string, { now, detail }: TemplateFacts): Published =>
  Result.flatMap(editable(templateId, detail), ({ template, draft, published }): Published => {
    if (draft === null) return Result.fail(new TemplateNotEditable({ templateId, reason: "no_draft" }))
    const issues = publishingIssues(contentOf(draft))
    if (issues.length > 0) return invalid(issues)
    const live = versionChanged(draft.version, { ...draft.version.content, status: "published", publishedAt: now }, now)
    const saved = published?.version
    const after = changed(template, { ...template.content, draftVersionId: null, publishedVersionId: live.id }, now)
    return Result.succeed({
      answer: { template: after, draft: null, published: { version: live, body: draft.body } },
      changes: [
        put(after, template.revision),
        put(live, draft.version.revision),
        ...(saved === undefined
          ? []
          : [put(versionChanged(saved, { ...saved.content, status: "saved" }, now), saved.revision)])
      ]
    })
  })

/** Archives a template. It remains for the messages that used it, but new sends cannot use it. Has no effect if it is already archived. */
export const archiveTemplate = (
  templateId: string,
  template: TemplateRecord | null,
  now: Instant
): Result.Result<Decision<null>, RecordNotFound> => {
  if (template === null) return Result.fail(new RecordNotFound({ record: "template", id: templateId }))
  if (template.content.archivedAt !== null) return Result.succeed(settled(null))
  // The alias becomes free for another template.
  const after = changed(template, { ...template.content, alias: null, archivedAt: now }, now)
  return Result.succeed({ answer: null, changes: [put(after, template.revision)] })
}
