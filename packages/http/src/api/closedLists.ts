/**
 * The closed lists that several fields have, with their names in the OpenAPI document. Generators make one type of each name. Without it, each
 * field has a type of its own, and languages such as Java and Go need a conversion between them.
 */
import {
  contactSources,
  deliveryStatuses,
  dispositions,
  domainStatuses,
  emailStatuses,
  eventKinds,
  propertyTypes,
  suppressionReasons,
  variableTypes,
  versionStatuses,
  webhookStatuses
} from "@mailkeep/core/binding"
import type { JsonObject } from "./jsonObject.ts"
import { schemaReference } from "./jsonObject.ts"

const closedLists: Readonly<Record<string, ReadonlyArray<string>>> = {
  DeliveryStatus: deliveryStatuses,
  AttachmentDisposition: dispositions,
  EmailStatus: emailStatuses,
  ContactSource: contactSources,
  SuppressionReason: suppressionReasons,
  PropertyType: propertyTypes,
  TemplateVersionStatus: versionStatuses,
  TemplateVariableType: variableTypes,
  EventKind: eventKinds,
  WebhookStatus: webhookStatuses,
  DomainStatus: domainStatuses
}

const keyOf = (values: ReadonlyArray<unknown>): string => values.join("\n")

const names: ReadonlyMap<string, string> = new Map(
  Object.entries(closedLists).map(([name, values]) => [keyOf(values), name])
)

/** The reference to the list, if the schema is one of the closed lists and says nothing else. */
export const closedListReference = (schema: JsonObject): JsonObject | undefined => {
  const { type, enum: values, ...others } = schema
  if (type !== "string" || !Array.isArray(values) || Object.keys(others).length > 0) return undefined
  const name = names.get(keyOf(values))
  return name === undefined ? undefined : schemaReference(name)
}

/** The schemas of the lists to which a part of the document refers. */
export const closedListSchemas = (part: unknown): Readonly<Record<string, JsonObject>> => {
  const text = JSON.stringify(part)
  return Object.fromEntries(
    Object.entries(closedLists)
      .filter(([name]) => text.includes(JSON.stringify(schemaReference(name))))
      .map(([name, values]) => [name, { type: "string", enum: values }])
  )
}
