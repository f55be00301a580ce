import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EnsureTemplateFacts } from "../../../src/decide/template/ensureTemplate.ts"
import { ensureTemplate } from "../../../src/decide/template/ensureTemplate.ts"
import { templatePartsOf } from "../../../src/decide/template/templateVersion.ts"
import { resourcesMax } from "../../../src/domain/store/Resource.ts"
import type { StoredTemplate } from "../../../src/domain/template/Template.ts"
import type { EnsureTemplateInput } from "../../../src/domain/template/TemplateInput.ts"
import { parseEnsureTemplate } from "../../../src/domain/template/TemplateInput.ts"
import { now, project } from "../fixtures.ts"
import { answerOf, create, ids, issuesOf, publish, update, written } from "./storedTemplates.ts"

const receipt: EnsureTemplateInput = { alias: "receipt", name: "Receipt", subject: "Hi", text: "First" }

const ensure = (
  existing: StoredTemplate | null,
  input: Partial<EnsureTemplateInput> = {},
  facts: Partial<EnsureTemplateFacts> = {}
) =>
  ensureTemplate(Result.getOrThrow(parseEnsureTemplate({ ...receipt, ...input })), {
    now,
    ids: ids(),
    projectId: project,
    existing,
    counts: { inUse: 0, all: 0 },
    newest: existing === null ? null : { versionNumber: 1, createdAt: now },
    ...facts
  })

describe("ensureTemplate", () => {
  it("creates and publishes a template when no template has the alias", () => {
    const ensured = ensure(null)
    expect(written(ensured)).toEqual(["new template", "new templateVersion", "new templateBody"])
    const { template, draft, published } = answerOf(ensured)
    expect(template).toMatchObject({
      name: "receipt",
      revision: 1,
      content: { alias: "receipt", draftVersionId: null, publishedVersionId: published.version.id }
    })
    expect(draft).toBeNull()
    expect(published.version).toMatchObject({
      revision: 1,
      content: { status: "published", versionNumber: 1, publishedAt: now }
    })
  })

  it("writes nothing when the template is what the input says", () => {
    const variables = [{ key: "order", type: "number" as const, required: true, fallbackValue: 1 }]
    const existing = answerOf(ensure(null, { variables, subject: "Order {{order}}" }))
    expect(written(ensure(existing, { variables, subject: "Order {{order}}" }))).toEqual([])
  })

  it("publishes a new version when the content differs, and saves the version that was published before", () => {
    const existing = answerOf(ensure(null))
    const ensured = ensure(existing, { subject: "Other" })
    expect(written(ensured)).toEqual([
      "changed template",
      "new templateVersion",
      "new templateBody",
      "changed templateVersion"
    ])
    const { published } = answerOf(ensured)
    expect(published.version.content).toMatchObject({ status: "published", versionNumber: 2, subject: "Other" })
    expect(Result.getOrThrow(ensured).changes[3]).toMatchObject({ resource: { content: { status: "saved" } } })
  })

  it("publishes no version when only the name or the description differs", () => {
    const existing = answerOf(ensure(null))
    const ensured = ensure(existing, { name: "Other", description: "For orders" })
    expect(written(ensured)).toEqual(["changed template"])
    expect(answerOf(ensured).published).toBe(existing.published)
  })

  it("removes a part that is absent from the input", () => {
    const existing = answerOf(ensure(null, { html: "<p>Hi</p>", description: "For orders" }))
    const { template, published } = answerOf(ensure(existing))
    expect(template.content.description).toBeNull()
    expect(templatePartsOf(published).html).toBeNull()
  })

  it("publishes a draft that has the content of the input", () => {
    const existing = answerOf(create({ alias: "receipt" }))
    const ensured = ensure(existing)
    expect(written(ensured)).toEqual(["changed template", "changed templateVersion"])
    expect(answerOf(ensured)).toMatchObject({ draft: null, published: { version: { id: existing.draft!.version.id } } })
  })

  it("keeps a draft with other content, and publishes a version after the draft", () => {
    const drafted = answerOf(update(answerOf(publish(answerOf(create({ alias: "receipt" })))), { subject: "Draft" }))
    const ensured = ensure(drafted, { subject: "Other" }, { newest: { versionNumber: 2, createdAt: now } })
    const { template, draft, published } = answerOf(ensured)
    expect(draft).toBe(drafted.draft)
    expect(template.content.draftVersionId).toBe(drafted.draft!.version.id)
    expect(published.version.content).toMatchObject({ versionNumber: 3, subject: "Other" })
  })

  it("keeps the id of a variable whose key stays", () => {
    const existing = answerOf(ensure(null, { variables: [{ key: "order", type: "string" }] }))
    const { published } = answerOf(ensure(existing, { variables: [{ key: "order", type: "number" }] }))
    expect(published.version.content.variables[0]!.id).toBe(existing.published.version.content.variables[0]!.id)
  })

  it("refuses content that cannot be published, and a project with too many templates", () => {
    expect(issuesOf(ensure(null, { subject: "{{order}}" }))).toEqual(["subject malformed_template"])
    expect(issuesOf(ensure(null, { text: "" }))).toEqual(["html required"])
    const full = ensure(null, {}, { counts: { inUse: resourcesMax, all: resourcesMax } })
    expect(Result.isFailure(full) && full.failure).toMatchObject({ _tag: "TooManyRecords" })
    expect(written(ensure(answerOf(ensure(null)), {}, { counts: { inUse: resourcesMax, all: resourcesMax } }))).toEqual(
      []
    )
  })

  it("writes nothing when it is repeated, whatever the content", () => {
    const text = fc.option(fc.stringMatching(/^[a-z ]{0,9}$/), { nil: undefined })
    const input = fc.record({
      name: fc.constantFrom("A", "B"),
      subject: fc.constantFrom("Hi", "Ho"),
      text: fc.constantFrom("First", "Second"),
      html: text,
      previewText: text,
      fromName: fc.constantFrom(undefined, null, "Shop"),
      locale: fc.constantFrom(undefined, "en"),
      variables: fc.constantFrom(
        undefined,
        [],
        [{ key: "a", type: "number" as const, fallbackValue: -0 }],
        [{ key: "a", type: "boolean" as const, required: undefined }]
      )
    })
    fc.assert(
      fc.property(fc.array(input, { minLength: 1, maxLength: 4 }), (inputs) => {
        let existing: StoredTemplate | null = null
        for (const one of inputs) {
          existing = answerOf(ensure(existing, one))
          expect(written(ensure(existing, one))).toEqual([])
        }
      })
    )
  })
})
