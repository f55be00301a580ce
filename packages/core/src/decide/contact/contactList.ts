/**
 * Creates and updates lists of contacts. Source: decision 0026.
 */
import { Result } from "effect"
import type { ContactListContent, ValidCreateList, ValidUpdateList } from "../../domain/contact/ContactList.ts"
import { listName } from "../../domain/contact/ContactList.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { NameTaken, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Decision } from "../store/Decision.ts"
import type { EnsuringFacts, ExistingFacts, NewFacts } from "../store/resource.ts"
import { createResource, ensureResource, updateResource } from "../store/resource.ts"

export const createList = (
  { name, description = "" }: ValidCreateList,
  facts: NewFacts
): Result.Result<Decision<ResourceOf<"list">>, NameTaken | TooManyRecords> =>
  createResource(
    { kind: "list", record: "list", field: "name", name: listName(name), content: { name, description } },
    facts
  )

/** Returns the list with this name, and creates it when it does not exist. A description that the input omits is kept. */
export const ensureList = (
  { name, description }: ValidCreateList,
  facts: EnsuringFacts<"list">
): Result.Result<Decision<ResourceOf<"list">>, TooManyRecords> => {
  const content = { name, description: description ?? facts.existing?.content.description ?? "" }
  return ensureResource({ kind: "list", record: "list", name: listName(name), content }, facts)
}

/** Updates a list. Fields that the input omits keep their values. */
export const updateList = (
  listId: string,
  input: ValidUpdateList,
  facts: ExistingFacts<"list">
): Result.Result<Decision<ResourceOf<"list">>, RecordNotFound | NameTaken> => {
  const { existing } = facts
  if (existing === null) return Result.fail(new RecordNotFound({ record: "list", id: listId }))
  const content: ContactListContent = {
    name: input.name ?? existing.content.name,
    description: input.description ?? existing.content.description
  }
  return updateResource({ record: "list", field: "name", name: listName(content.name), content }, existing, facts)
}
