/**
 * Stored templates for the tests of the decisions, and what a decision writes.
 */
import type { TemplateCounts } from "../../../src/decide/template/templateLimit.ts"
import { Result } from "effect"
import { createTemplate, publishTemplate, updateTemplate } from "../../../src/decide/template/template.ts"
import type { Decision } from "../../../src/decide/store/Decision.ts"
import type { StoredTemplate } from "../../../src/domain/template/Template.ts"
import type { CreateTemplateInput, UpdateTemplateInput } from "../../../src/domain/template/TemplateInput.ts"
import { parseCreateTemplate, parseUpdateTemplate } from "../../../src/domain/template/TemplateInput.ts"
import type { IdBlock } from "../../../src/domain/value/Id.ts"
import { now, project } from "../fixtures.ts"

let blocks = 0
/** A new block of ids. */
export const ids = (): IdBlock => ({ time: now, high: 0, low: 1000 * ++blocks })

export const answerOf = <A, E>(decided: Result.Result<Decision<A>, E>): A => Result.getOrThrow(decided).answer

/** The kind of each written record, and whether the record is new. */
export const written = <A, E>(decided: Result.Result<Decision<A>, E>): ReadonlyArray<string> =>
  Result.getOrThrow(decided).changes.map((change) =>
    change._tag === "PutResource"
      ? `${change.replaces === null ? "new" : "changed"} ${change.resource.kind}`
      : change._tag
  )

/** The path and the code of each issue of a refusal; `undefined` for a valid input. */
export const issuesOf = <A, E>(decided: Result.Result<A, E>): ReadonlyArray<string> | undefined =>
  Result.isFailure(decided)
    ? (decided.failure as { issues?: ReadonlyArray<{ path: ReadonlyArray<string>; code: string }> }).issues?.map(
        ({ path, code }) => `${path.join(".")} ${code}`
      )
    : undefined

export const create = (
  input: Partial<CreateTemplateInput> = {},
  facts: { readonly aliased?: { readonly id: string } | null; readonly counts?: TemplateCounts } = {}
) =>
  createTemplate(Result.getOrThrow(parseCreateTemplate({ name: "Receipt", subject: "Hi", text: "First", ...input })), {
    now,
    ids: ids(),
    projectId: project,
    aliased: null,
    counts: { inUse: 0, all: 0 },
    ...facts
  })

export const update = (
  existing: StoredTemplate | null,
  input: UpdateTemplateInput,
  aliased: { readonly id: string } | null = null
) =>
  updateTemplate(existing?.template.id ?? "tpl_x", Result.getOrThrow(parseUpdateTemplate(input)), {
    now,
    ids: ids(),
    existing,
    aliased,
    newest: { versionNumber: 1, createdAt: now }
  })

export const publish = (existing: StoredTemplate) => publishTemplate(existing.template.id, { now, existing })
