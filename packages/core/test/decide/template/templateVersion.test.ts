import { describe, expect, it } from "vitest"
import {
  changedTemplate,
  newVersion,
  templatePartsOf,
  publishedVersion,
  revisedDraft,
  saveVersion
} from "../../../src/decide/template/templateVersion.ts"
import { emptyParts } from "../../../src/domain/template/TemplateContent.ts"
import { now, project } from "../fixtures.ts"
import { answerOf, create, ids, publish } from "./storedTemplates.ts"

const parts = { ...emptyParts, subject: "Hi", html: "ü", text: "First" }

describe("newVersion", () => {
  it("makes a draft whose body is a record of its own", () => {
    const { version, body } = newVersion({ id: "tpl_1", projectId: project }, 3, parts, { now, ids: ids() })
    expect(version).toMatchObject({
      parent: "tpl_1",
      name: "3",
      revision: 1,
      content: { versionNumber: 3, status: "draft", publishedAt: null, bodyId: body.id, bodyOctets: 7 }
    })
    expect(body).toMatchObject({ parent: version.id, content: { html: "ü", text: "First" } })
    expect(templatePartsOf({ version, body })).toEqual(parts)
  })
})

describe("revisedDraft", () => {
  const created = answerOf(create())
  const published = answerOf(publish(created))
  const revise = (existing: typeof created, hasNewBody: boolean) =>
    revisedDraft(existing, { parts, hasNewBody }, { now: now + 1, ids: ids(), newestVersion: 7 })

  it("changes a draft in place, with a body of its own", () => {
    const { draft, changes } = revise(created, true)
    expect(changes.map((change) => "replaces" in change && change.replaces)).toEqual([1, 1])
    expect(draft).toMatchObject({ version: { revision: 2, updatedAt: now + 1 }, body: { revision: 2 } })
  })

  it("makes a draft after the newest version, which shares the published body until its own body changes", () => {
    const shared = revise(published, false)
    expect(shared.draft.version.content).toMatchObject({ versionNumber: 8, status: "draft" })
    expect(shared.draft.body).toBe(published.published!.body)
    expect(shared.changes).toHaveLength(1)
    const own = revise(published, true)
    expect(own.draft.body.parent).toBe(own.draft.version.id)
    expect(own.changes).toHaveLength(2)
  })
})

describe("publishedVersion, saveVersion and changedTemplate", () => {
  it("increments the revision and keeps the parts", () => {
    const { template, draft } = answerOf(create({ alias: "receipt" }))
    const live = publishedVersion(draft!.version, now + 1)
    expect(live).toMatchObject({
      revision: 2,
      updatedAt: now + 1,
      content: { status: "published", publishedAt: now + 1 }
    })
    expect(templatePartsOf({ version: live, body: draft!.body })).toEqual(templatePartsOf(draft!))
    expect(saveVersion(live, now + 2)).toMatchObject({
      replaces: 2,
      resource: { revision: 3, content: { status: "saved", publishedAt: now + 1 } }
    })
    expect(changedTemplate(template, { ...template.content, alias: "other" }, now + 1)).toMatchObject({
      name: "other",
      revision: 2
    })
  })

  it("changes no record that is passed in", () => {
    const { draft } = answerOf(create())
    const before = structuredClone(draft!.version)
    publishedVersion(draft!.version, now)
    expect(draft!.version).toEqual(before)
  })
})
