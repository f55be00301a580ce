/**
 * Makes and changes the stored records of a template and its versions. A published version never changes. Source: decision 0027.
 */
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { StoredTemplate, StoredVersion } from "../../domain/template/Template.ts"
import type {
  TemplateBodyContent,
  TemplateContent,
  TemplateParts,
  TemplateSettings,
  TemplateVersionContent
} from "../../domain/template/TemplateContent.ts"
import type { IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { utf8Bytes } from "../../domain/value/TextLength.ts"

export type TemplateRecord = ResourceOf<"template">
export type VersionRecord = ResourceOf<"templateVersion">
type BodyRecord = ResourceOf<"templateBody">

interface Times {
  readonly now: Instant
  readonly ids: IdBlock
}

/** The number of a version, and when it was created. */
export interface VersionPosition {
  readonly versionNumber: number
  readonly createdAt: Instant
}

/**
 * The number and the time of the next version. `newest` is the version with the latest time. The next version is later, also when the clock was set
 * back. Otherwise it would not be found as the newest one, and another version would get its number.
 */
export const nextVersion = (
  { draft, published }: Pick<StoredTemplate, "draft" | "published">,
  newest: VersionPosition | null,
  now: Instant
): VersionPosition => {
  const numbers = [draft, published].map((one) => one?.version.content.versionNumber ?? 0)
  return {
    versionNumber: Math.max(newest?.versionNumber ?? 0, ...numbers) + 1,
    createdAt: newest === null ? now : Math.max(now, newest.createdAt + 1)
  }
}

interface Owner {
  readonly id: string
  readonly projectId: ProjectId
}

/** The change that stores a record. `replaces` is the revision of the existing record, or `null` for a new one. */
export const putRecord = (resource: TemplateRecord | VersionRecord | BodyRecord, replaces: number | null): Change => ({
  _tag: "PutResource",
  resource,
  replaces
})

/** Returns all parts of a version. */
export const templatePartsOf = ({ version, body }: StoredVersion): TemplateParts => ({
  subject: version.content.subject,
  previewText: version.content.previewText,
  fromName: version.content.fromName,
  fromAddress: version.content.fromAddress,
  replyTo: version.content.replyTo,
  variables: version.content.variables,
  html: body.content.html,
  text: body.content.text
})

/** The stored content of a version with this body. */
const settingsWithBody = (
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
  bodyOctets: utf8Bytes(body.content.html ?? "") + utf8Bytes(body.content.text ?? "")
})

const newBody = (version: Owner, { html, text }: TemplateBodyContent, { now, ids }: Times): BodyRecord => ({
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

const versionWithBody = (
  template: Owner,
  { versionNumber, createdAt }: VersionPosition,
  settings: TemplateSettings,
  body: BodyRecord,
  ids: IdBlock
): VersionRecord => ({
  id: idAt(ids, "tpv", 1),
  projectId: template.projectId,
  kind: "templateVersion",
  parent: template.id,
  name: String(versionNumber),
  content: { ...settingsWithBody(settings, body), versionNumber, status: "draft", publishedAt: null },
  createdAt,
  updatedAt: createdAt,
  revision: 1
})

/** Makes a draft with its own body. */
export const newVersion = (
  template: Owner,
  position: VersionPosition,
  parts: TemplateParts,
  times: Times
): StoredVersion => {
  const body = newBody({ id: idAt(times.ids, "tpv", 1), projectId: template.projectId }, parts, times)
  return { version: versionWithBody(template, position, parts, body, times.ids), body }
}

/** Returns the template with new content. Its name is its alias. */
export const changedTemplate = (template: TemplateRecord, content: TemplateContent, now: Instant): TemplateRecord => ({
  ...template,
  name: content.alias,
  content,
  updatedAt: now,
  revision: template.revision + 1
})

const changedVersion = (version: VersionRecord, content: TemplateVersionContent, now: Instant): VersionRecord => ({
  ...version,
  content,
  updatedAt: now,
  revision: version.revision + 1
})

/** Returns the version as the published version. */
export const publishedVersion = (version: VersionRecord, now: Instant): VersionRecord =>
  changedVersion(version, { ...version.content, status: "published", publishedAt: now }, now)

/** The change that marks a version as no longer published. */
export const saveVersion = (version: VersionRecord, now: Instant): Change =>
  putRecord(changedVersion(version, { ...version.content, status: "saved" }, now), version.revision)

/** The draft with new parts, and the changes to write. */
export interface RevisedDraft {
  readonly draft: StoredVersion
  readonly changes: ReadonlyArray<Change>
}

/**
 * Changes the draft, or makes a draft from the published version. A body that another version shares does not change.
 * `newest` is the version with the latest time.
 */
export const revisedDraft = (
  { template, draft, published }: StoredTemplate,
  { parts, hasNewBody }: { readonly parts: TemplateParts; readonly hasNewBody: boolean },
  { now, ids, newest }: Times & { readonly newest: VersionPosition | null }
): RevisedDraft => {
  const shared = draft?.body ?? published?.body
  const owner = { id: draft?.version.id ?? idAt(ids, "tpv", 1), projectId: template.projectId }
  const owned = draft !== null && draft.body.parent === draft.version.id ? draft.body : null
  const { html, text } = parts
  const body =
    shared !== undefined && !hasNewBody
      ? shared
      : owned === null
        ? newBody(owner, parts, { now, ids })
        : { ...owned, content: { html, text }, updatedAt: now, revision: owned.revision + 1 }
  const version =
    draft === null
      ? versionWithBody(template, nextVersion({ draft, published }, newest, now), parts, body, ids)
      : changedVersion(draft.version, { ...draft.version.content, ...settingsWithBody(parts, body) }, now)
  return {
    draft: { version, body },
    changes: [
      putRecord(version, draft?.version.revision ?? null),
      ...(body === shared ? [] : [putRecord(body, owned?.revision ?? null)])
    ]
  }
}
