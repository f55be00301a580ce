/**
 * The variables of a template on the command line, as `name=value`. A value gets the type that the template declares for its variable.
 */
import type { TemplateVariable, VariableValue } from "@mailkeep/core"
import { Templates } from "@mailkeep/core"
import { Effect } from "effect"

/** Whether a text names a variable, and gives its value. */
export const isAssignment = (text: string): boolean => text.indexOf("=") > 0

/** The value with the declared type. A text without the form of this type stays text, so that the send refuses it. */
const toValue = (text: string, type: TemplateVariable["type"] | undefined): VariableValue => {
  if (type === "number") return text.trim() === "" || !Number.isFinite(Number(text)) ? text : Number(text)
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text
}

/** Reads assignments to the variables of the published version of a template. The send refuses a template and a variable that do not exist. */
export const readVariables = Effect.fnUntraced(function* (
  project: string,
  template: string | undefined,
  assignments: ReadonlyArray<string>
) {
  const templates = yield* Templates
  const found = template === undefined ? Effect.succeed(null) : templates.get(project, template)
  const declaring = yield* Effect.catchTag(found, "RecordNotFound", () => Effect.succeed(null))
  const types = new Map(declaring?.published?.variables.map(({ key, type }) => [key, type]))
  return Object.fromEntries(
    assignments.map((text) => {
      const at = text.indexOf("=")
      const name = text.slice(0, at)
      return [name, toValue(text.slice(at + 1), types.get(name))] as const
    })
  )
})
