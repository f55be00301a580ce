import { describe, expect, it } from "vitest"
import {
  changedTemplate,
  newVersion,
  nextVersion,
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
    const { version, body } = newVersion(
      { id: "tpl_1", projectId: project },
      { versionNumber: 3, createdAt: now + 5 },
      parts,
      { now, ids: ids() }
    )
    expect(version).toMatchObject({
      parent: "tpl_1",
      name: "3",
      createdAt: now + 5,
      revision: 1,
      content: { versionNumber: 3, status: "draft", publishedAt: null, bodyId: body.id, bodyOctets: 7 }
    })
    expect(body).toMatchObject({ parent: version.id, content: { html: "ü", text: "First" } })
    expect(templatePartsOf({ version, body })).toEqual(parts)
  })
})

describe("nextVersion", () => {
  const published = answerOf(publish(answerOf(create())))
  const none = { draft: null, published: null }

  it.each([
    ["the first version", none, null, 1, now],
    ["a version after the newest one", none, { versionNumber: 7, createdAt: now - 1 }, 8, now],
    [
      "a version after the newest one when the clock was set back",
      none,
      { versionNumber: 7, createdAt: now + 9 },
      8,
      now + 10
    ],
    [
      "a version after the published one when an earlier one has a later time",
      published,
      { versionNumber: 0, createdAt: now + 9 },
      2,
      now + 10
    ]
  ])("returns the number and the time of %s", (_, existing, newest, versionNumber, createdAt) =>
    expect(nextVersion(existing, newest, now)).toEqual({ versionNumber, createdAt })
  )
})

describe("revisedDraft", () => {
  const created = answerOf(create())
  const published = answerOf(publish(created))
  const revise = (existing: typeof created, hasNewBody: boolean) =>
    revisedDraft(
      existing,
      { parts, hasNewBody },
      {
        now: now + 1,
        ids: ids(),
        newest: { versionNumber: 7, createdAt: now }
      }
    )

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
