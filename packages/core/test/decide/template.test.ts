import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Decision } from "../../src/decide/Decision.ts"
import type { TemplateDetail } from "../../src/decide/template.ts"
import { contentOf, createTemplate, publishTemplate, updateTemplate } from "../../src/decide/template.ts"
import type { IdBlock } from "../../src/domain/Id.ts"
import type { CreateTemplate, UpdateTemplate } from "../../src/domain/Template.ts"
import { now, project } from "./fixtures.ts"

let blocks = 0
const ids = (): IdBlock => ({ time: now, high: 0, low: 1000 * ++blocks })

const answerOf = <E>(decided: Result.Result<Decision<TemplateDetail>, E>) => Result.getOrThrow(decided).answer
/** The kind of each written record, and whether the record is new. */
const written = <E>(decided: Result.Result<Decision<TemplateDetail>, E>) =>
  Result.getOrThrow(decided).changes.map((change) =>
    change._tag === "PutResource"
      ? `${change.replaces === null ? "new" : "changed"} ${change.resource.kind}`
      : change._tag
  )

const create = (request: Partial<CreateTemplate> = {}) =>
  createTemplate(
    { name: "Receipt", subject: "Hi", text: "First", ...request },
    { now, ids: ids(), projectId: project, aliased: null, count: 0 }
  )
const update = (detail: TemplateDetail, request: UpdateTemplate) =>
  updateTemplate(detail.template.id, request, { now, ids: ids(), detail, aliased: null, versions: 1 })
const publish = (detail: TemplateDetail) => publishTemplate(detail.template.id, { now, ids: ids(), detail })

const issuesOf = <A, E>(decided: Result.Result<A, E>) =>
  Result.isFailure(decided)
    ? (decided.failure as { issues?: ReadonlyArray<{ path: ReadonlyArray<string>; code: string }> }).issues?.map(
        ({ path, code }) => `${path.join(".")} ${code}`
      )
    : undefined

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
      create({ alias: "", locale: "", subject: "", html: "", text: "", preview_text: "" })
    )
    expect(template).toMatchObject({ name: null, content: { alias: null, locale: null } })
    expect(contentOf(draft!)).toMatchObject({ subject: null, html: null, text: null, previewText: null })
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
    expect(contentOf(after.draft!)).toMatchObject({ subject: "Other", text: "Second" })
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

describe("the size of a template", () => {
  const variables = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: `first_name_${n}`, type: "string" as const }))

  it("allows thirty variables, a subject, a preview text and a sender", () => {
    expect(
      issuesOf(create({ variables: variables(30), preview_text: "x".repeat(150), from_name: "The shop" }))
    ).toBeUndefined()
  })

  it.each([
    ["variables too_large", { variables: variables(100) }],
    ["preview_text too_large", { preview_text: "\u0001".repeat(1000) }],
    ["subject too_large", { subject: "😀".repeat(1100) }],
    ["description too_large", { description: "\u0001".repeat(500) }],
    ["description too_large", { name: "😀".repeat(100), category: "😀".repeat(100), description: "x".repeat(250) }]
  ] as const)("refuses a template that is too large: %s", (issue, request) => {
    expect(issuesOf(create({ description: "x".repeat(120), ...request }))).toEqual([issue])
  })

  it("reports each part of a template that is too large", () => {
    expect(issuesOf(create({ description: "😀".repeat(300), variables: variables(100) }))).toEqual([
      "description too_large",
      "variables too_large"
    ])
  })

  it("counts unchanged parts, and reports the changed part as too large", () => {
    const created = answerOf(create({ variables: variables(30) }))
    expect(issuesOf(update(created, { preview_text: "x".repeat(2000) }))).toEqual(["preview_text too_large"])
    expect(issuesOf(update(created, { text: "x".repeat(2000) }))).toBeUndefined()
  })
})
