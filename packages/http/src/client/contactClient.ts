/**
 * The methods of the client for contacts, lists, properties, segments and suppressions.
 */
import type {
  ContactsHandle,
  ListsHandle,
  PropertiesHandle,
  SegmentsHandle,
  SuppressionsHandle
} from "@mailkeep/core/handle"
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle/calls"
import { toPropertyBody } from "./inputs.ts"
import {
  noResult,
  ofData,
  ofItems,
  toContact,
  toContactList,
  toCursorPage,
  toKnownContact,
  toListedContact,
  toPage,
  toProperty,
  toSegment,
  toSuppression
} from "./records.ts"
import type { Request } from "./requests.ts"

export const makeContacts = (request: Request): ContactsHandle => {
  const list: ContactsHandle["list"] = (input, options) =>
    request({ operation: "contacts.list", query: input, options }, toPage(toListedContact))
  return {
    list,
    each: (filter, options) => eachOfPages((input) => list(input, options), filter),
    get: (contactId, options) =>
      request({ operation: "contacts.get", ids: [contactId], options }, ofData(toKnownContact)),
    create: (input, options) => request({ operation: "contacts.create", body: input, options }, ofData(toContact)),
    update: (contactId, input, options) =>
      request({ operation: "contacts.update", ids: [contactId], body: input, options }, ofData(toContact)),
    delete: (contactId, options) => request({ operation: "contacts.remove", ids: [contactId], options }, noResult)
  }
}

export const makeLists = (request: Request): ListsHandle => {
  const list: ListsHandle["list"] = (input, options) =>
    request({ operation: "lists.list", query: input, options }, toPage(toContactList))
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (listId, options) => request({ operation: "lists.get", ids: [listId], options }, ofData(toContactList)),
    create: (input, options) => request({ operation: "lists.create", body: input, options }, ofData(toContactList)),
    update: (listId, input, options) =>
      request({ operation: "lists.update", ids: [listId], body: input, options }, ofData(toContactList)),
    delete: (listId, options) => request({ operation: "lists.remove", ids: [listId], options }, noResult),
    addContact: (listId, contactId, options) =>
      request({ operation: "lists.putContact", ids: [listId, contactId], options }, noResult),
    removeContact: (listId, contactId, options) =>
      request({ operation: "lists.removeContact", ids: [listId, contactId], options }, noResult)
  }
}

export const makeProperties = (request: Request): PropertiesHandle => ({
  list: (options) => request({ operation: "properties.list", options }, ofItems(toProperty)),
  create: (input, options) =>
    request({ operation: "properties.create", body: toPropertyBody(input), options }, ofData(toProperty)),
  update: (propertyId, input, options) =>
    request(
      { operation: "properties.update", ids: [propertyId], body: toPropertyBody(input), options },
      ofData(toProperty)
    ),
  delete: (propertyId, options) => request({ operation: "properties.remove", ids: [propertyId], options }, noResult)
})

export const makeSegments = (request: Request): SegmentsHandle => {
  const list: SegmentsHandle["list"] = (input, options) =>
    request({ operation: "segments.list", query: input, options }, toPage(toSegment))
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (segmentId, options) => request({ operation: "segments.get", ids: [segmentId], options }, ofData(toSegment)),
    create: (input, options) => request({ operation: "segments.create", body: input, options }, ofData(toSegment)),
    update: (segmentId, input, options) =>
      request({ operation: "segments.update", ids: [segmentId], body: input, options }, ofData(toSegment)),
    delete: (segmentId, options) => request({ operation: "segments.remove", ids: [segmentId], options }, noResult)
  }
}

export const makeSuppressions = (request: Request): SuppressionsHandle => {
  const list: SuppressionsHandle["list"] = (input, options) =>
    request({ operation: "suppressions.list", query: input, options }, toCursorPage(toSuppression))
  return {
    list,
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter),
    addReason: (email, reason, options) =>
      request({ operation: "suppressions.add", body: { email, reason }, options }, ofData(toSuppression)),
    delete: (email, options) => request({ operation: "suppressions.remove", ids: [email], options }, noResult)
  }
}
