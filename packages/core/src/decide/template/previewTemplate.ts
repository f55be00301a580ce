/**
 * Renders a version of a template as a send would, and writes nothing. Source: decisions 0027 and 0031.
 */
import { Result } from "effect"
import type { StoredTemplate } from "../../domain/template/Template.ts"
import type { VariableValue } from "../../domain/template/TemplateContent.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { RenderedTemplate } from "./renderTemplate.ts"
import { publishingIssues, renderTemplate } from "./renderTemplate.ts"
import { templatePartsOf } from "./templateVersion.ts"

interface Preview {
  readonly variables?: Readonly<Record<string, VariableValue>>
  readonly version?: "draft" | "published"
}

/** Renders the draft, or the published version when there is no draft. Fails when the version cannot be published or the values do not fit. */
export const previewTemplate = (
  idOrAlias: string,
  { variables = {}, version }: Preview,
  { existing }: { readonly existing: StoredTemplate | null }
): Result.Result<RenderedTemplate, InvalidArgument | RecordNotFound> => {
  const { draft, published } = existing ?? { draft: null, published: null }
  const chosen = version === "draft" ? draft : version === "published" ? published : (draft ?? published)
  if (chosen === null) return Result.fail(new RecordNotFound({ record: "template", id: idOrAlias }))
  const parts = templatePartsOf(chosen)
  const issues = publishingIssues(parts)
  const rendered = issues.length > 0 ? Result.fail(issues) : renderTemplate(parts, variables, "variables")
  return Result.mapError(rendered, (issues) => new InvalidArgument({ argument: "input", issues }))
}
