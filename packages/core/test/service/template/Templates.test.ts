import { withTestMail, project, send, start, stores } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type {
  CreateTemplateInput,
  EnsureTemplateInput,
  PreviewTemplateInput,
  TemplateStatus,
  UpdateTemplateInput
} from "../../../src/index.ts"
import { DeliveryLog, MailStore, Templates } from "../../../src/index.ts"
import { versionBodiesBytesMax } from "../../../src/domain/template/Template.ts"

const receipt = { name: "Receipt", alias: "receipt", subject: "Hi", text: "Thanks" }

const bad = {
  fromName: "x\r\nBcc: y@e.org",
  replyTo: "nonsense\r\nX: y",
  fromAddress: "nobody",
  text: "\u0000",
  locale: "?",
  html: "x".repeat(2 * 1024 * 1024 + 1),
  colour: "red"
} as UpdateTemplateInput
const badFields = ["colour", "fromAddress", "fromName", "html", "locale", "replyTo", "text"]

const refusedFields = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (failure) => {
    const { _tag, argument, issues } = failure as unknown as {
      readonly _tag: string
      readonly argument: string
      readonly issues: ReadonlyArray<{ readonly path: ReadonlyArray<string | number> }>
    }
    return [_tag, argument, ...issues.map(({ path }) => path.join(".")).toSorted()]
  })

describe.each(stores)("Templates, over $name", (store) => {
  it("refuses invalid fields of a template and writes nothing", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const refusal = ["InvalidArgument", "input", ...badFields]
        expect(yield* refusedFields(templates.create(project, { ...receipt, ...bad, name: "Receipt" }))).toEqual(
          refusal
        )
        const template = yield* templates.create(project, receipt)
        expect(yield* refusedFields(templates.update(project, template.id, bad))).toEqual(refusal)
        const preview = { variables: { a: [1] }, version: "saved" } as unknown as PreviewTemplateInput
        expect(yield* refusedFields(templates.preview(project, template.id, preview))).toEqual([
          "InvalidArgument",
          "input",
          "variables.a",
          "version"
        ])
        const { html: _, text: __, ...draft } = template.draft!
        expect((yield* templates.list(project)).items).toEqual([{ ...template, draft }])
      })
    ))

  it("sends and shows a template by its alias, and records its id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const template = yield* templates.create(project, receipt)
        yield* templates.publish(project, "receipt")
        expect((yield* templates.get(project, "receipt")).id).toBe(template.id)
        const result = yield* send("k", { templateId: "receipt" })
        const delivery = yield* (yield* DeliveryLog).get(project, result.deliveryIds[0]!)
        expect(delivery.template?.id).toBe(template.id)
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
        const template = yield* templates.create(project, { ...receipt, html: "canary", text: "canary" })
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
        const page = yield* templates.list(project)
        expect(JSON.stringify([records, page])).not.toContain("canary")
      })
    ))

  it("shows the bodies of the newest versions up to the size limit, and of no older version", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const template = yield* templates.create(project, receipt)
        const bodies = [10, 100, versionBodiesBytesMax / 4, versionBodiesBytesMax / 2 + 1, versionBodiesBytesMax / 2]
        for (const bytes of bodies) {
          const html = "x".repeat(Math.min(bytes, 2 * 1024 * 1024))
          yield* templates.update(project, template.id, { html, text: "y".repeat(bytes - html.length) })
          yield* templates.publish(project, template.id)
          yield* TestClock.adjust("1 second")
        }
        const shown = (limit: number, beforeVersion?: number) =>
          Effect.map(templates.listVersions(project, template.id, { limit, beforeVersion }), (items) =>
            items.map(({ versionNumber, html }) => [versionNumber, html?.length ?? null])
          )
        const half = versionBodiesBytesMax / 2
        expect(yield* shown(9)).toEqual([
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
        const template = yield* templates.create(project, { ...receipt, html: large, text: large })
        const [only] = yield* templates.listVersions(project, template.id)
        expect(only!.text).toHaveLength(large.length)
      })
    ))

  it("lists templates by their latest update, and filters them by status", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const names = (status?: TemplateStatus) =>
          Effect.map(templates.list(project, { status }), ({ items }) =>
            items.map((template) => template.alias ?? template.name)
          )
        for (const alias of ["a", "b", "c", "d"]) {
          yield* templates.create(project, { ...receipt, alias })
          if (alias !== "a") yield* templates.publish(project, alias)
          yield* TestClock.adjust("1 second")
        }
        expect(yield* names()).toEqual(["d", "c", "b", "a"])
        yield* templates.update(project, "b", { subject: "Other" })
        yield* TestClock.adjust("1 second")
        yield* templates.archive(project, "c")
        expect(yield* names()).toEqual(["Receipt", "b", "d", "a"])
        expect(yield* names("draft")).toEqual(["a"])
        expect(yield* names("published")).toEqual(["d"])
        expect(yield* names("changes_in_draft")).toEqual(["b"])
        expect(yield* names("archived")).toEqual(["Receipt"])
      })
    ))

  it("allows undefined in every optional field, and returns a plain record", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const input: CreateTemplateInput = {
          ...receipt,
          description: undefined,
          previewText: "Soon",
          fromName: undefined,
          variables: [{ key: "order", type: "number", required: undefined, fallbackValue: undefined }]
        }
        const template = yield* templates.create(project, input)
        expect(template).toEqual({
          id: expect.stringMatching(/^tpl_/),
          name: "Receipt",
          alias: "receipt",
          description: null,
          category: null,
          locale: null,
          status: "draft",
          archivedAt: null,
          createdAt: start,
          updatedAt: start,
          draft: {
            id: expect.stringMatching(/^tpv_/),
            templateId: template.id,
            versionNumber: 1,
            status: "draft",
            subject: "Hi",
            previewText: "Soon",
            fromName: null,
            fromAddress: null,
            replyTo: null,
            variables: [
              { id: expect.stringMatching(/^var_/), key: "order", type: "number", required: false, fallbackValue: null }
            ],
            html: null,
            text: "Thanks",
            publishedAt: null,
            createdAt: start,
            updatedAt: start
          },
          published: null
        })
        expect(yield* templates.get(project, "receipt")).toEqual(template)
        const preview: PreviewTemplateInput = { variables: { order: undefined }, version: undefined }
        expect(yield* templates.preview(project, template.id, preview)).toEqual({
          subject: "Hi",
          html: null,
          text: "Thanks"
        })
      })
    ))

  it("ensures a template at every start, and publishes a version only when the content differs", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const ensure = (input: Partial<EnsureTemplateInput> = {}) => templates.ensure(project, { ...receipt, ...input })
        const [made, again] = yield* Effect.all([ensure(), ensure()], { concurrency: "unbounded" })
        expect(again).toEqual(made)
        expect(made).toMatchObject({
          status: "published",
          draft: null,
          published: { versionNumber: 1, publishedAt: start }
        })
        yield* TestClock.adjust("1 second")
        expect(yield* ensure()).toEqual(made)
        const changed = yield* ensure({ text: "Thank you" })
        expect(changed).toMatchObject({ id: made.id, published: { versionNumber: 2, text: "Thank you" } })
        expect(yield* templates.get(project, "receipt")).toEqual(changed)
        const versions = yield* templates.listVersions(project, made.id)
        expect(versions.map(({ versionNumber, status }) => [versionNumber, status])).toEqual([
          [2, "published"],
          [1, "saved"]
        ])
        const { deliveryIds } = yield* send("k", { templateId: "receipt" })
        expect((yield* (yield* DeliveryLog).get(project, deliveryIds[0]!)).message.text).toBe("Thank you")
      })
    ))

  it("makes and lists versions in the order of their numbers when the clock was set back", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const { id } = yield* templates.create(project, receipt)
        for (const time of [start + 86_400_000, start + 3_600_000, start + 1, start]) {
          yield* TestClock.setTime(time)
          yield* templates.update(project, id, { subject: String(time) })
          yield* templates.publish(project, id)
        }
        yield* templates.ensure(project, { ...receipt, subject: "Ensured" })
        const numbers = (versions: ReadonlyArray<{ readonly versionNumber: number }>) =>
          versions.map(({ versionNumber }) => versionNumber)
        expect(numbers(yield* templates.listVersions(project, id))).toEqual([5, 4, 3, 2, 1])
        expect(numbers(yield* templates.listVersions(project, id, { beforeVersion: 4 }))).toEqual([3, 2, 1])
      })
    ))

  it("keeps a draft with other content when it ensures a template", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        yield* templates.ensure(project, receipt)
        yield* templates.update(project, "receipt", { subject: "Draft" })
        const ensured = yield* templates.ensure(project, { ...receipt, subject: "Other" })
        expect(ensured).toMatchObject({
          status: "changes_in_draft",
          draft: { versionNumber: 2, subject: "Draft" },
          published: { versionNumber: 3, subject: "Other" }
        })
        const published = yield* templates.publish(project, "receipt")
        expect(published).toMatchObject({ draft: null, published: { versionNumber: 2, subject: "Draft" } })
      })
    ))

  it("ensures a new template when the template with the alias is archived", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const first = yield* templates.ensure(project, receipt)
        yield* templates.archive(project, "receipt")
        const second = yield* templates.ensure(project, receipt)
        expect(second.id).not.toBe(first.id)
        expect(second.status).toBe("published")
      })
    ))
})
