/**
 * The contacts of a project, and what belongs to them, over the services of the core.
 */
import type { ProjectId } from "@mailkeep/core"
import {
  ContactFiles,
  ContactLists,
  Contacts,
  InvalidArgument,
  Properties,
  Segments,
  Suppressions
} from "@mailkeep/core"
import type {
  EmbeddedContacts,
  EmbeddedLists,
  EmbeddedProperties,
  EmbeddedSegments,
  EmbeddedSuppressions
} from "@mailkeep/core/handle"
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle/calls"
import { Effect, Stream } from "effect"
import type { Run } from "./calls.ts"
import { callsOf } from "./calls.ts"
import { eachOfStream } from "./eachOfStream.ts"

const noRows = () => {
  const message = "must be an iterable or an async iterable of rows"
  return new InvalidArgument({ argument: "input", issues: [{ path: ["rows"], code: "invalid_type", message }] })
}

/**
 * Rows of a product as a stream, which fails for a value that has no rows. A failure of the product's own iterable ends the import with that failure.
 */
const streamOf = <A>(rows: AsyncIterable<A> | Iterable<A>): Stream.Stream<A, unknown> => {
  if (typeof rows !== "object" || rows === null) return Stream.fail(noRows())
  if (Symbol.asyncIterator in rows && typeof rows[Symbol.asyncIterator] === "function")
    return Stream.fromAsyncIterable(rows, (cause) => cause)
  return Symbol.iterator in rows && typeof rows[Symbol.iterator] === "function"
    ? Stream.fromIterable(rows)
    : Stream.fail(noRows())
}

export const makeContacts = (run: Run, caller: ProjectId): EmbeddedContacts => {
  const call = callsOf(run, Contacts)
  return {
    list: (input, options) => call(({ list }) => list(caller, input), options),
    each: (filter, options) =>
      eachOfStream(
        run,
        Contacts.useSync(({ stream }) => stream(caller, filter)),
        options
      ),
    get: (contactId, options) => call(({ get }) => get(caller, contactId), options),
    findByEmail: (email, options) => call(({ findByEmail }) => findByEmail(caller, email), options),
    erase: (email, options) => call(({ erase }) => erase(caller, email), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    update: (contactId, input, options) => call(({ update }) => update(caller, contactId, input), options),
    delete: (contactId, options) => call((contacts) => Effect.asVoid(contacts.delete(caller, contactId)), options),
    importRows: (rows, input, options) =>
      eachOfStream(
        run,
        ContactFiles.useSync(({ importRows }) => importRows(caller, streamOf(rows), input)),
        options
      ),
    exportRows: (filter, options) =>
      eachOfStream(
        run,
        ContactFiles.useSync(({ exportRows }) => exportRows(caller, filter)),
        options
      )
  }
}

export const makeLists = (run: Run, caller: ProjectId): EmbeddedLists => {
  const call = callsOf(run, ContactLists)
  const list: EmbeddedLists["list"] = (input, options) => call(({ list }) => list(caller, input), options)
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (listId, options) => call(({ get }) => get(caller, listId), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    ensure: (input, options) => call(({ ensure }) => ensure(caller, input), options),
    update: (listId, input, options) => call(({ update }) => update(caller, listId, input), options),
    delete: (listId, options) => call((lists) => Effect.asVoid(lists.delete(caller, listId)), options),
    addContact: (listId, contactId, options) =>
      call(({ addContact }) => Effect.asVoid(addContact(caller, listId, contactId)), options),
    removeContact: (listId, contactId, options) =>
      call(({ removeContact }) => Effect.asVoid(removeContact(caller, listId, contactId)), options)
  }
}

export const makeProperties = (run: Run, caller: ProjectId): EmbeddedProperties => {
  const call = callsOf(run, Properties)
  return {
    list: (options) => call(({ list }) => list(caller), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    ensure: (input, options) => call(({ ensure }) => ensure(caller, input), options),
    update: (propertyId, input, options) => call(({ update }) => update(caller, propertyId, input), options),
    delete: (propertyId, options) => call((properties) => Effect.asVoid(properties.delete(caller, propertyId)), options)
  }
}

export const makeSegments = (run: Run, caller: ProjectId): EmbeddedSegments => {
  const call = callsOf(run, Segments)
  const list: EmbeddedSegments["list"] = (input, options) => call(({ list }) => list(caller, input), options)
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (segmentId, options) => call(({ get }) => get(caller, segmentId), options),
    create: (input, options) => call(({ create }) => create(caller, input), options),
    ensure: (input, options) => call(({ ensure }) => ensure(caller, input), options),
    update: (segmentId, input, options) => call(({ update }) => update(caller, segmentId, input), options),
    delete: (segmentId, options) => call((segments) => Effect.asVoid(segments.delete(caller, segmentId)), options)
  }
}

export const makeSuppressions = (run: Run, caller: ProjectId): EmbeddedSuppressions => {
  const call = callsOf(run, Suppressions)
  const list: EmbeddedSuppressions["list"] = (input, options) => call(({ list }) => list(caller, input), options)
  return {
    list,
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter),
    addReason: (email, reason, options) => call(({ addReason }) => addReason(caller, email, reason), options),
    removeReason: (email, reason, options) => call(({ removeReason }) => removeReason(caller, email, reason), options),
    delete: (email, options) => call((suppressions) => Effect.asVoid(suppressions.delete(caller, email)), options)
  }
}
