/**
 * A list: a set of contacts to which contacts are added one by one. Each contact stores the ids of its lists. Source: decision 0026.
 */
import { Schema } from "effect"
import type { ResourceId, StoredResource } from "../store/StoredResource.ts"
import type { Instant } from "../value/Instant.ts"
import type { Parser } from "../value/Issue.ts"
import { decoder } from "../value/Issue.ts"
import { lineOf } from "../value/TextRule.ts"

/** The content of a list as a store keeps it. */
export interface ContactListContent {
  readonly name: string
  readonly description: string
}

/** A list of contacts. */
export interface ContactList {
  /** Starts with `lst_`. */
  readonly id: ResourceId<"list">
  /** 1 to 100 characters; unique within the project without regard to case. */
  readonly name: string
  /** Empty when the list has no description. */
  readonly description: string
  /** The number of contacts on the list. */
  readonly contactCount: number
  /** Milliseconds since 1970 in UTC. */
  readonly createdAt: Instant
  /** When the list was last changed, in milliseconds since 1970 in UTC. */
  readonly updatedAt: Instant
}

/** A new list. */
export interface CreateContactListInput {
  /** 1 to 100 characters in one line; unique within the project without regard to case. */
  readonly name: string
  /** At most 500 characters in one line. Default: empty. */
  readonly description?: string | undefined
}

/** The fields of a list to change. An absent field keeps its value. */
export interface UpdateContactListInput {
  /** 1 to 100 characters in one line; unique within the project without regard to case. */
  readonly name?: string | undefined
  /** At most 500 characters in one line. */
  readonly description?: string | undefined
}

/** The maximum number of lists of one contact. */
export const listsOfContactMax = 100

/** The form in which names of lists are compared. */
export const listName = (name: string): string => name.toLowerCase()

/** Returns the list without the fields that only the store needs. */
export const toContactList = (
  { id, content, createdAt, updatedAt }: StoredResource<"list", ContactListContent>,
  contactCount: number
): ContactList => ({ id, name: content.name, description: content.description, contactCount, createdAt, updatedAt })

const fields = { name: lineOf({ min: 1, max: 100 }), description: Schema.optionalKey(lineOf({ max: 500 })) }

declare const valid: unique symbol

/** The schema of a new list. */
export const CreateListBody = Schema.Struct(fields).annotate({ identifier: "CreateListRequest" })
/** A new list that `parseCreateList` has checked. */
export type ValidCreateList = typeof CreateListBody.Type & { readonly [valid]: "create" }
export const parseCreateList = decoder(CreateListBody) as Parser<ValidCreateList>

/** The schema of a change of a list. */
export const UpdateListBody = Schema.Struct({ ...fields, name: Schema.optionalKey(fields.name) }).annotate({
  identifier: "UpdateListRequest"
})
/** A change of a list that `parseUpdateList` has checked. */
export type ValidUpdateList = typeof UpdateListBody.Type & { readonly [valid]: "update" }
export const parseUpdateList = decoder(UpdateListBody) as Parser<ValidUpdateList>
