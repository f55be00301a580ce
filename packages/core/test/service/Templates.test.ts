import { withTestMail, project, send, stores } from "@mailkeep/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { CreateTemplate, PreviewTemplate, UpdateTemplate } from "../../src/index.ts"
import { DeliveryLog, MailStore, Templates, versionBodiesOctetsMax } from "../../src/index.ts"

const receipt: CreateTemplate = { name: "Receipt", alias: "receipt", subject: "Hi", text: "Thanks" }

const bad = {
  from_name: "x\r\nBcc: y@e.org",
  reply_to: "nonsense\r\nX: y",
  from_address: "nobody",
  text: "\u0000",
  locale: "?",
  html: "x".repeat(2 * 1024 * 1024 + 1),
  colour: "red"
} as UpdateTemplate
const badFields = ["colour", "from_address", "from_name", "html", "locale", "reply_to", "text"]

const refusedFields = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (failure) => {
    const { _tag, context, issues } = failure as unknown as {
      readonly _tag: string
      readonly context: string
      readonly issues: ReadonlyArray<{ readonly path: ReadonlyArray<string | number> }>
    }
    return [_tag, context, ...issues.map(({ path }) => path.join(".")).toSorted()]
  })

describe.each(stores)("Templates, over $name", (store) => {
  it("refuses the same invalid fields in process as over HTTP, and writes nothing", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const refusal = ["InvalidArgument", "body", ...badFields]
        expect(yield* refusedFields(templates.create(project, { ...receipt, ...bad }))).toEqual(refusal)
        const { template } = yield* templates.create(project, receipt)
        expect(yield* refusedFields(templates.update(project, template.id, bad))).toEqual(refusal)
        const preview = { variables: { a: [1] }, version: "saved" } as unknown as PreviewTemplate
        expect(yield* refusedFields(templates.preview(project, template.id, preview))).toEqual([
          "InvalidArgument",
          "body",
          "variables.a",
          "version"
        ])
        expect(
          (yield* templates.page(project, { status: null, search: null, category: null }, { page: 1, limit: 9 })).items
        ).toEqual([{ template, draft: expect.objectContaining({ revision: 1 }), published: null }])
      })
    ))

  it("sends and shows a template by its alias, and records its id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const { template } = yield* templates.create(project, receipt)
        yield* templates.publish(project, "receipt")
        expect((yield* templates.get(project, "receipt")).template.id).toBe(template.id)
        const { result } = yield* send("k", { templateId: "receipt" })
        const { message } = yield* (yield* DeliveryLog).get(project, result.deliveryIds[0]!)
        expect(message.templateId).toBe(template.id)
        yield* templates.archive(project, "receipt")
        expect(yield* Effect.flip(templates.get(project, "receipt"))).toMatchObject({ _tag: "RecordNotFound" })
        expect(yield* Effect.flip(send("l", { templateId: "receipt" }))).toMatchObject({
          issues: [{ path: ["templateId"], code: "unknown_template" }]
        })
      })
    ))

  it("loads no bodies for a list of templates or versions", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const { template } = yield* templates.create(project, { ...receipt, html: "canary", text: "canary" })
        const records = yield* (yield* MailStore).read([
          { _tag: "Resources", projectId: project, kind: "template", parent: "", after: null, limit: 9 },
          {
            _tag: "Resources",
            projectId: project,
            kind: "templateVersion",
            parent: template.id,
            after: null,
            limit: 9
          }
        ])
        expect(records.flat()).toHaveLength(2)
        const page = yield* templates.page(
          project,
          { status: null, search: null, category: null },
          { page: 1, limit: 9 }
        )
        expect(JSON.stringify([records, page])).not.toContain("canary")
      })
    ))

  it("shows the bodies of the newest versions up to the size limit, and of no older version", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const { template } = yield* templates.create(project, receipt)
        const bodies = [10, 100, versionBodiesOctetsMax / 4, versionBodiesOctetsMax / 2 + 1, versionBodiesOctetsMax / 2]
        for (const octets of bodies) {
          const html = "x".repeat(Math.min(octets, 2 * 1024 * 1024))
          yield* templates.update(project, template.id, { html, text: "y".repeat(octets - html.length) })
          yield* templates.publish(project, template.id)
          yield* TestClock.adjust("1 second")
        }
        const shown = (limit: number, beforeVersion: number | null) =>
          Effect.map(templates.versions(project, template.id, { limit, beforeVersion }), (items) =>
            items.map(({ version, body }) => [version.content.versionNumber, body?.content.html?.length ?? null])
          )
        const half = versionBodiesOctetsMax / 2
        expect(yield* shown(9, null)).toEqual([
          [5, half],
          [4, null],
          [3, null],
          [2, null],
          [1, null]
        ])
        expect(yield* shown(3, 5)).toEqual([
          [4, half],
          [3, half / 2],
          [2, 100]
        ])
        expect(yield* shown(9, 3)).toEqual([
          [2, 100],
          [1, 10]
        ])
      })
    ))

  it("shows a version with two bodies of the maximum size", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const large = "x".repeat(2 * 1024 * 1024)
        const { template } = yield* templates.create(project, { ...receipt, html: large, text: large })
        const [only] = yield* templates.versions(project, template.id, { limit: 1, beforeVersion: null })
        expect(only!.body!.content.text).toHaveLength(large.length)
      })
    ))

  it("lists templates by their latest update, and filters them by status", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const names = (status: "draft" | "published" | "changes_in_draft" | "archived" | null) =>
          Effect.map(
            templates.page(project, { status, search: null, category: null }, { page: 1, limit: 9 }),
            ({ items }) => items.map(({ template }) => template.content.alias ?? template.content.name)
          )
        for (const alias of ["a", "b", "c", "d"]) {
          yield* templates.create(project, { ...receipt, alias })
          if (alias !== "a") yield* templates.publish(project, alias)
          yield* TestClock.adjust("1 second")
        }
        expect(yield* names(null)).toEqual(["d", "c", "b", "a"])
        yield* templates.update(project, "b", { subject: "Other" })
        yield* TestClock.adjust("1 second")
        yield* templates.archive(project, "c")
        expect(yield* names(null)).toEqual(["Receipt", "b", "d", "a"])
        expect(yield* names("draft")).toEqual(["a"])
        expect(yield* names("published")).toEqual(["d"])
        expect(yield* names("changes_in_draft")).toEqual(["b"])
        expect(yield* names("archived")).toEqual(["Receipt"])
      })
    ))
})
