/**
 * Creates contacts and custom properties, and finds contacts.
 */
import { project } from "@mailkeep/test-support"
import { Effect } from "effect"
import type { ContactFilterInput, CreateContactInput, CreatePropertyInput } from "../../../src/index.ts"
import { Contacts, Properties } from "../../../src/index.ts"

export const create = (input: CreateContactInput) =>
  Effect.flatMap(Contacts, (contacts) => contacts.create(project, input))
export const createProperty = (input: CreatePropertyInput) =>
  Effect.flatMap(Properties, (properties) => properties.create(project, input))
export const found = (query: ContactFilterInput) =>
  Effect.flatMap(Contacts, (contacts) =>
    Effect.map(contacts.list(project, { ...query, limit: 100 }), ({ items, total }) => [
      total,
      ...items.map(({ email }) => email)
    ])
  )
