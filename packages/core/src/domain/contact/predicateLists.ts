/**
 * The lists that a predicate names. Source: decision 0026.
 */
import type { ContactPredicate } from "./ContactPredicate.ts"

/** Returns the ids of the lists that a predicate names. */
export const listIdsOf = (predicate: ContactPredicate): ReadonlyArray<string> => {
  switch (predicate._tag) {
    case "All":
    case "Any":
      return predicate.of.flatMap(listIdsOf)
    case "Not":
      return listIdsOf(predicate.of)
    case "OnList":
      return [predicate.listId]
    case "Compare":
      return []
  }
}

/** Returns the predicate for which no contact is on one of the lists. A contact can still have the id of a deleted list. */
export const withoutLists = (predicate: ContactPredicate, listIds: ReadonlySet<string>): ContactPredicate => {
  switch (predicate._tag) {
    case "All":
    case "Any":
      return { ...predicate, of: predicate.of.map((part) => withoutLists(part, listIds)) }
    case "Not":
      return { ...predicate, of: withoutLists(predicate.of, listIds) }
    case "OnList":
      return listIds.has(predicate.listId) ? { _tag: "Any", of: [] } : predicate
    case "Compare":
      return predicate
  }
}
