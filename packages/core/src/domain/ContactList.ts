/**
 * A list: a set of contacts to which contacts are added one by one. Each contact stores the ids of its lists. Source: decision 0026.
 */
import { Schema } from "effect"
import { decoder } from "./Issue.ts"
import { lineOf } from "./TextRule.ts"

export interface ContactList {
  readonly name: string
  readonly description: string
}

/** The maximum number of lists of one contact. */
export const listsOfContactMax = 100

const fields = { name: lineOf({ min: 1, max: 100 }), description: Schema.optionalKey(lineOf({ max: 500 })) }

export const CreateListBody = Schema.Struct(fields).annotate({ identifier: "CreateListRequest" })
export type CreateList = typeof CreateListBody.Type
export const parseCreateList = decoder(CreateListBody)

export const UpdateListBody = Schema.Struct({ ...fields, name: Schema.optionalKey(fields.name) }).annotate({
  identifier: "UpdateListRequest"
})
export type UpdateList = typeof UpdateListBody.Type
export const parseUpdateList = decoder(UpdateListBody)
