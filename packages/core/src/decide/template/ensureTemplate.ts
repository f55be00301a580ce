/**
 * Makes a template what a program declares, and publishes it. A program may declare it at every start. Source: decision 0027.
 */
import { Result } from "effect"
import type { Change } from "../../domain/store/Change.ts"
import type { StoredTemplate, StoredVersion } from "../../domain/template/Template.ts"
import type { TemplateAbout, TemplateContent, TemplateParts } from "../../domain/template/TemplateContent.ts"
import { emptyParts } from "../../domain/template/TemplateContent.ts"
import type { ValidEnsureTemplate } from "../../domain/template/TemplateInput.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput, unchanged } from "../store/Decision.ts"
import { publishingIssues } from "./renderTemplate.ts"
import type { CreateTemplateFacts } from "./template.ts"
import { emptyAbout, newTemplate } from "./template.ts"
import type { TemplateAndDraft } from "./templateContent.ts"
import { mergeTemplateInput } from "./templateContent.ts"
import { tooManyTemplates } from "./templateLimit.ts"
import type { VersionPosition } from "./templateVersion.ts"
import {
  changedTemplate,
  newVersion,
  nextVersion,
  templatePartsOf,
  publishedVersion,
  putRecord,
  saveVersion
} from "./templateVersion.ts"

export interface EnsureTemplateFacts extends Omit<CreateTemplateFacts, "aliased"> {
  /** The template with the alias of the input. It is not archived, because an archived template has no alias. */
  readonly existing: StoredTemplate | null
  /** The version with the latest time; `null` if there is none. */
  readonly newest: VersionPosition | null
}

/** A stored template with a published version. */
interface StoredPublishedTemplate extends StoredTemplate {
  readonly published: StoredVersion
}

type Ensured = Result.Result<Decision<StoredPublishedTemplate>, InvalidArgument | TooManyRecords>

const sameParts = (a: TemplateParts, b: TemplateParts): boolean =>
  a.html === b.html &&
  a.text === b.text &&
  a.subject === b.subject &&
  a.previewText === b.previewText &&
  a.fromName === b.fromName &&
  a.fromAddress === b.fromAddress &&
  a.replyTo === b.replyTo &&
  a.variables.length === b.variables.length &&
  a.variables.every(({ key, type, required, fallbackValue }, n) => {
    const other = b.variables[n]!
    return (
      key === other.key && type === other.type && required === other.required && fallbackValue === other.fallbackValue
    )
  })

const sameAbout = (a: TemplateAbout, b: TemplateAbout): boolean =>
  a.name === b.name &&
  a.alias === b.alias &&
  a.description === b.description &&
  a.category === b.category &&
  a.locale === b.locale

const createPublished = ({ about, parts }: TemplateAndDraft, facts: EnsureTemplateFacts): Ensured => {
  const full = tooManyTemplates(facts.counts)
  if (full !== undefined) return Result.fail(full)
  const made = newTemplate({ about, parts }, facts)
  const version = { ...publishedVersion(made.draft.version, facts.now), revision: 1 }
  const content: TemplateContent = { ...made.template.content, draftVersionId: null, publishedVersionId: version.id }
  const template = { ...made.template, content }
  const published = { version, body: made.draft.body }
  return Result.succeed({
    answer: { template, draft: null, published },
    changes: [putRecord(template, null), putRecord(version, null), putRecord(published.body, null)]
  })
}

/** The version to publish, the draft that remains, and the changes that store them. */
interface Publication {
  readonly published: StoredVersion
  readonly draft: StoredVersion | null
  readonly changes: ReadonlyArray<Change>
}

/** Publishes the draft when it has these parts. Otherwise publishes a new version and leaves the draft as it is. */
const publication = (
  { template, draft, published }: StoredTemplate,
  parts: TemplateParts,
  { now, ids, newest }: EnsureTemplateFacts
): Publication => {
  if (draft !== null && sameParts(templatePartsOf(draft), parts)) {
    const version = publishedVersion(draft.version, now)
    const changes = [putRecord(version, draft.version.revision)]
    return { published: { version, body: draft.body }, draft: null, changes }
  }
  const made = newVersion(template, nextVersion({ draft, published }, newest, now), parts, { now, ids })
  const version = { ...publishedVersion(made.version, now), revision: 1 }
  const changes = [putRecord(version, null), putRecord(made.body, null)]
  return { published: { version, body: made.body }, draft, changes }
}

const changeExisting = (
  existing: StoredTemplate,
  { about, parts }: TemplateAndDraft,
  facts: EnsureTemplateFacts
): Ensured => {
  const { template, draft, published } = existing
  const isPublished = published !== null && sameParts(templatePartsOf(published), parts)
  if (isPublished && sameAbout(template.content, about))
    return Result.succeed(unchanged({ template, draft, published }))
  const next = isPublished ? { published, draft, changes: [] } : publication(existing, parts, facts)
  const content: TemplateContent = {
    ...template.content,
    ...about,
    draftVersionId: next.draft?.version.id ?? null,
    publishedVersionId: next.published.version.id
  }
  const after = changedTemplate(template, content, facts.now)
  return Result.succeed({
    answer: { template: after, draft: next.draft, published: next.published },
    changes: [
      putRecord(after, template.revision),
      ...next.changes,
      ...(isPublished || published === null ? [] : [saveVersion(published.version, facts.now)])
    ]
  })
}

/**
 * Creates and publishes the template when no template has the alias. When the published content differs, publishes the draft if the draft has the
 * content of the input, and otherwise a new version. Writes a changed name, description, category or locale without a new version. Writes nothing
 * when nothing differs. A field that is absent from the input is cleared. A draft with other content stays a draft.
 */
export const ensureTemplate = (input: ValidEnsureTemplate, facts: EnsureTemplateFacts): Ensured => {
  const { existing, ids } = facts
  const base = existing?.published ?? existing?.draft
  // A variable keeps its id while its key does not change.
  const parts = { ...emptyParts, variables: base?.version.content.variables ?? [] }
  const merged = mergeTemplateInput({ ...input, variables: input.variables ?? [] }, { about: emptyAbout, parts }, ids)
  if (Result.isFailure(merged)) return invalidInput(merged.failure)
  const issues = publishingIssues(merged.success.parts)
  if (issues.length > 0) return invalidInput(issues)
  return existing === null ? createPublished(merged.success, facts) : changeExisting(existing, merged.success, facts)
}
