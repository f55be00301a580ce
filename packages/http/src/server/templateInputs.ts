/**
 * Converts template requests to the input of the service, and the names of the service's input back to the names of the request.
 */
import type { TemplateVariableInput } from "@mailkeep/core"
import { decoder, templateVariablesMax, variableIssues, withRules } from "@mailkeep/core/binding"
import { CreateTemplateBody, UpdateTemplateBody } from "../api/Templates.ts"
import type { WireNames } from "./wireNames.ts"

const variables = templateVariablesMax
const issuesOfVariables = (body: unknown) => variableIssues(body, "fallback_value")

export const parseCreateTemplate = withRules(decoder(CreateTemplateBody, { variables }), issuesOfVariables)
export const parseUpdateTemplate = withRules(decoder(UpdateTemplateBody, { variables }), issuesOfVariables)

/** The names of the request, by the names of the service. */
export const templateNames: WireNames = {
  previewText: "preview_text",
  fromName: "from_name",
  fromAddress: "from_address",
  replyTo: "reply_to",
  fallbackValue: "fallback_value"
}

type VariableRequest = NonNullable<(typeof UpdateTemplateBody.Type)["variables"]>[number]

const variableInput = ({ fallback_value: fallbackValue, ...variable }: VariableRequest): TemplateVariableInput => ({
  ...variable,
  fallbackValue
})

/** Renames the fields of a request. */
export const templateInput = <B extends typeof UpdateTemplateBody.Type>({
  preview_text: previewText,
  from_name: fromName,
  from_address: fromAddress,
  reply_to: replyTo,
  variables,
  ...body
}: B) => ({
  ...body,
  previewText,
  fromName,
  fromAddress,
  replyTo,
  variables: variables?.map(variableInput)
})
