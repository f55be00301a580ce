/**
 * A project that has archived many templates can create more.
 */
import { project, stores, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/adapter.ts"
import { MailStore, Templates } from "../../../src/index.ts"
import type { ResourceOf } from "../../../src/domain/store/Resource.ts"
import { resourcesMax } from "../../../src/domain/store/Resource.ts"

const receipt = { name: "Receipt", subject: "Hi", text: "Thanks" }

describe.each(stores)("a project with as many templates as it may have, over $name", (store) => {
  it("creates a template when one of the others is archived, and lists all of them", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const mailStore = yield* MailStore
        const first = yield* templates.create(project, receipt)
        const [found] = yield* mailStore.read([{ _tag: "Resource", projectId: project, id: first.id }])
        const copies = Array.from({ length: resourcesMax - 1 }, (_, n): Change => {
          const resource = { ...(found as ResourceOf<"template">), id: `tpl_${n}` as const }
          return { _tag: "PutResource", resource, replaces: null }
        })
        yield* mailStore.commit(copies)
        const ensured = { ...receipt, alias: "receipt" }
        for (const refused of [templates.create(project, receipt), templates.ensure(project, ensured)])
          expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "TooManyRecords", max: resourcesMax })

        yield* templates.archive(project, first.id)
        yield* templates.ensure(project, ensured)
        expect(yield* Effect.flip(templates.create(project, receipt))).toMatchObject({ max: resourcesMax })
        expect((yield* templates.list(project)).total).toBe(resourcesMax + 1)
        expect((yield* templates.list(project, { status: "archived" })).items.map(({ id }) => id)).toEqual([first.id])
      })
    ))
})
