import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { archiveTemplate, publishTemplate } from "../../../src/decide/template/template.ts"
import { templatePartsOf } from "../../../src/decide/template/templateVersion.ts"
import { resourcesMax } from "../../../src/domain/store/Resource.ts"
import { now } from "../fixtures.ts"
import { answerOf, create, publish, update, written } from "./storedTemplates.ts"

const refusal = <A, E>(decided: Result.Result<A, E>) => (Result.isFailure(decided) ? decided.failure : undefined)

describe("createTemplate", () => {
  it("stores the bodies of a template in a separate record", () => {
    const made = create({ html: "ü" })
    expect(written(made)).toEqual(["new template", "new templateVersion", "new templateBody"])
    const { version, body } = answerOf(made).draft!
    expect(version.content).not.toHaveProperty("html")
    expect(version.content).not.toHaveProperty("text")
    expect(version.content).toMatchObject({ bodyId: body.id, bodyOctets: 7 })
    expect(body).toMatchObject({ parent: version.id, content: { html: "ü", text: "First" } })
  })

  it("reads an empty text as unset", () => {
    const { template, draft } = answerOf(
      create({ alias: "", locale: "", subject: "", html: "", text: "", previewText: "" })
    )
    expect(template).toMatchObject({ name: null, content: { alias: null, locale: null } })
    expect(templatePartsOf(draft!)).toMatchObject({ subject: null, html: null, text: null, previewText: null })
  })

  it("refuses a template when another template has the alias, or the project has too many templates", () => {
    expect(refusal(create({ alias: "receipt" }, { aliased: { id: "tpl_1" } }))).toMatchObject({ _tag: "NameTaken" })
    expect(refusal(create({}, { counts: { inUse: resourcesMax, all: resourcesMax } }))).toMatchObject({
      _tag: "TooManyRecords",
      max: resourcesMax
    })
  })
})

describe("updateTemplate", () => {
  it("writes no body when the bodies do not change", () => {
    const created = answerOf(create())
    const renamed = update(created, { name: "Other" })
    expect(written(renamed)).toEqual(["changed template"])
    const changed = update(created, { subject: "Other" })
    expect(written(changed)).toEqual(["changed template", "changed templateVersion"])
    expect(answerOf(changed).draft!.body).toBe(created.draft!.body)
  })

  it("changes the body of a draft in place", () => {
    const created = answerOf(create())
    const changed = update(created, { text: "Second" })
    expect(written(changed)).toEqual(["changed template", "changed templateVersion", "changed templateBody"])
    expect(answerOf(changed).draft).toMatchObject({
      version: { content: { bodyId: created.draft!.body.id, bodyOctets: 6 } },
      body: { revision: 2, content: { text: "Second" } }
    })
  })

  it("writes a new body when a published version uses the existing body", () => {
    const live = answerOf(publish(answerOf(create())))
    const drafted = update(live, { subject: "Other" })
    expect(written(drafted)).toEqual(["changed template", "new templateVersion"])
    const shared = answerOf(drafted)
    expect(shared.draft!.body).toBe(live.published!.body)
    const rewritten = update(shared, { text: "Second" })
    expect(written(rewritten)).toEqual(["changed template", "changed templateVersion", "new templateBody"])
    const after = answerOf(rewritten)
    expect(templatePartsOf(after.draft!)).toMatchObject({ subject: "Other", text: "Second" })
    expect(after.draft!.body.id).not.toBe(live.published!.body.id)
    expect(after.published).toEqual(live.published)
    expect(written(update(after, { html: "Third" }))).toEqual([
      "changed template",
      "changed templateVersion",
      "changed templateBody"
    ])
  })

  it("creates a draft with its own body when the first change is to a body", () => {
    const live = answerOf(publish(answerOf(create())))
    const rewritten = update(live, { text: "Second" })
    expect(written(rewritten)).toEqual(["changed template", "new templateVersion", "new templateBody"])
    const { draft } = answerOf(rewritten)
    expect(draft).toMatchObject({ version: { content: { versionNumber: 2 } }, body: { parent: draft!.version.id } })
  })
})

describe("updateTemplate and publishTemplate", () => {
  it("refuses a template that does not exist or is archived", () => {
    const created = answerOf(create())
    const archived = {
      ...created,
      template: { ...created.template, content: { ...created.template.content, archivedAt: now } }
    }
    expect(refusal(update(null, {}))).toMatchObject({ _tag: "RecordNotFound", id: "tpl_x" })
    expect(refusal(publishTemplate("tpl_x", { now, existing: null }))).toMatchObject({ _tag: "RecordNotFound" })
    expect(refusal(update(archived, {}))).toMatchObject({ _tag: "TemplateNotEditable", reason: "archived" })
    expect(refusal(publish(archived))).toMatchObject({ _tag: "TemplateNotEditable", reason: "archived" })
  })

  it("refuses the alias of another template, and allows the template's own alias", () => {
    const created = answerOf(create({ alias: "receipt" }))
    expect(refusal(update(created, { alias: "other" }, { id: "tpl_other" }))).toMatchObject({ _tag: "NameTaken" })
    expect(refusal(update(created, { alias: "receipt" }, { id: created.template.id }))).toBeUndefined()
  })
})

describe("publishTemplate", () => {
  it("publishes the draft, and saves the version that was published before", () => {
    const first = publish(answerOf(create()))
    expect(written(first)).toEqual(["changed template", "changed templateVersion"])
    const second = publish(answerOf(update(answerOf(first), { subject: "Other" })))
    expect(written(second)).toEqual(["changed template", "changed templateVersion", "changed templateVersion"])
    expect(answerOf(second)).toMatchObject({
      template: { content: { draftVersionId: null } },
      draft: null,
      published: { version: { content: { status: "published", publishedAt: now, versionNumber: 2 } } }
    })
    const saved = Result.getOrThrow(second).changes[2]
    expect(saved).toMatchObject({ resource: { content: { status: "saved", versionNumber: 1 } } })
  })

  it("refuses a template without a draft, and a draft without a subject", () => {
    const published = answerOf(publish(answerOf(create())))
    expect(refusal(publish(published))).toMatchObject({ _tag: "TemplateNotEditable", reason: "no_draft" })
    expect(refusal(publish(answerOf(create({ subject: null }))))).toMatchObject({
      issues: [{ path: ["subject"], code: "required" }]
    })
  })
})

describe("archiveTemplate", () => {
  it("archives a template once, and frees its alias", () => {
    const { template } = answerOf(create({ alias: "receipt" }))
    const archived = Result.getOrThrow(archiveTemplate("receipt", { now, existing: template }))
    expect(archived.changes).toMatchObject([
      { replaces: 1, resource: { name: null, revision: 2, content: { alias: null, archivedAt: now } } }
    ])
    const existing = { ...template, content: { ...template.content, archivedAt: now - 1 } }
    expect(Result.getOrThrow(archiveTemplate("receipt", { now, existing })).changes).toEqual([])
    expect(refusal(archiveTemplate("receipt", { now, existing: null }))).toMatchObject({ _tag: "RecordNotFound" })
  })
})
