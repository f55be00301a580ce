/**
 * Converts template requests to the input of the service.
 */
import type { TemplateVariableInput } from "@mailkeep/core"
import { decoder, templateVariablesMax, variableIssues, withRules } from "@mailkeep/core/binding"
import { CreateTemplateBody, UpdateTemplateBody } from "../api/Templates.ts"

const variables = templateVariablesMax
const issuesOfVariables = (body: unknown) => variableIssues(body, "fallback_value")

export const parseCreateTemplate = withRules(decoder(CreateTemplateBody, { variables }), issuesOfVariables)
export const parseUpdateTemplate = withRules(decoder(UpdateTemplateBody, { variables }), issuesOfVariables)

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
