/**
 * Creates, updates, lists and finds contacts of the project of a test, and creates custom properties.
 */
import { project } from "@mailkeep/test-support"
import { Effect } from "effect"
import type {
  ContactFilterInput,
  CreateContactInput,
  CreatePropertyInput,
  ListContactsInput,
  UpdateContactInput
} from "../../../src/index.ts"
import { Contacts, Properties } from "../../../src/index.ts"

export const create = (input: CreateContactInput, projectId = project) =>
  Effect.flatMap(Contacts, (contacts) => contacts.create(projectId, input))

export const update = (id: string, input: UpdateContactInput) =>
  Effect.flatMap(Contacts, (contacts) => contacts.update(project, id, input))

export const page = (query: ListContactsInput = {}, limit = 100, page = 1) =>
  Effect.flatMap(Contacts, (contacts) => contacts.list(project, { ...query, page, limit }))

export const createProperty = (input: CreatePropertyInput) =>
  Effect.flatMap(Properties, (properties) => properties.create(project, input))

/** The number of contacts that match, and their addresses. */
export const found = (query: ContactFilterInput) =>
  Effect.flatMap(Contacts, (contacts) =>
    Effect.map(contacts.list(project, { ...query, limit: 100 }), ({ items, total }) => [
      total,
      ...items.map(({ email }) => email)
    ])
  )
