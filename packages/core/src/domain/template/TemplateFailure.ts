/**
 * Why a use case of templates is refused.
 */
import { NotRetryable } from "../value/NotRetryable.ts"

/** The template is archived, or it has no draft to publish. */
export class TemplateNotEditable extends NotRetryable("TemplateNotEditable", "conflict")<{
  readonly templateId: string
  readonly reason: "archived" | "no_draft"
}> {
  override get message() {
    return this.reason === "archived" ? "The template is archived." : "The template has no draft to publish."
  }
  /** Not retryable: create another template, or change the template so that it has a draft. */
  declare readonly isRetryable: boolean
}
