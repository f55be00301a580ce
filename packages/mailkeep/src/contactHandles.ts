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
  EmbeddedSuppressions,
  ListsHandle,
  PropertiesHandle,
  SegmentsHandle
} from "@mailkeep/core/handle"
import { eachOfCursors, eachOfPages } from "@mailkeep/core/handle"
import { Effect, Stream } from "effect"
import type { Run } from "./calls.ts"
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

export const makeContacts = (run: Run, caller: ProjectId): EmbeddedContacts => ({
  list: (input, options) =>
    run(
      Contacts.use(({ list }) => list(caller, input)),
      options
    ),
  each: (filter, options) =>
    eachOfStream(
      run,
      Contacts.useSync(({ stream }) => stream(caller, filter)),
      options
    ),
  get: (contactId, options) =>
    run(
      Contacts.use(({ get }) => get(caller, contactId)),
      options
    ),
  findByEmail: (email, options) =>
    run(
      Contacts.use(({ findByEmail }) => findByEmail(caller, email)),
      options
    ),
  erase: (email, options) =>
    run(
      Contacts.use(({ erase }) => erase(caller, email)),
      options
    ),
  create: (input, options) =>
    run(
      Contacts.use(({ create }) => create(caller, input)),
      options
    ),
  update: (contactId, input, options) =>
    run(
      Contacts.use(({ update }) => update(caller, contactId, input)),
      options
    ),
  delete: (contactId, options) =>
    run(Effect.asVoid(Contacts.use((contacts) => contacts.delete(caller, contactId))), options),
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
})

export const makeLists = (run: Run, caller: ProjectId): ListsHandle => {
  const list: ListsHandle["list"] = (input, options) =>
    run(
      ContactLists.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (listId, options) =>
      run(
        ContactLists.use(({ get }) => get(caller, listId)),
        options
      ),
    create: (input, options) =>
      run(
        ContactLists.use(({ create }) => create(caller, input)),
        options
      ),
    update: (listId, input, options) =>
      run(
        ContactLists.use(({ update }) => update(caller, listId, input)),
        options
      ),
    delete: (listId, options) => run(Effect.asVoid(ContactLists.use((lists) => lists.delete(caller, listId))), options),
    addContact: (listId, contactId, options) =>
      run(Effect.asVoid(ContactLists.use(({ addContact }) => addContact(caller, listId, contactId))), options),
    removeContact: (listId, contactId, options) =>
      run(Effect.asVoid(ContactLists.use(({ removeContact }) => removeContact(caller, listId, contactId))), options)
  }
}

export const makeProperties = (run: Run, caller: ProjectId): PropertiesHandle => ({
  list: (options) =>
    run(
      Properties.use(({ list }) => list(caller)),
      options
    ),
  create: (input, options) =>
    run(
      Properties.use(({ create }) => create(caller, input)),
      options
    ),
  update: (propertyId, input, options) =>
    run(
      Properties.use(({ update }) => update(caller, propertyId, input)),
      options
    ),
  delete: (propertyId, options) =>
    run(Effect.asVoid(Properties.use((properties) => properties.delete(caller, propertyId))), options)
})

export const makeSegments = (run: Run, caller: ProjectId): SegmentsHandle => {
  const list: SegmentsHandle["list"] = (input, options) =>
    run(
      Segments.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    each: (options) => eachOfPages((page) => list(page, options)),
    get: (segmentId, options) =>
      run(
        Segments.use(({ get }) => get(caller, segmentId)),
        options
      ),
    create: (input, options) =>
      run(
        Segments.use(({ create }) => create(caller, input)),
        options
      ),
    update: (segmentId, input, options) =>
      run(
        Segments.use(({ update }) => update(caller, segmentId, input)),
        options
      ),
    delete: (segmentId, options) =>
      run(Effect.asVoid(Segments.use((segments) => segments.delete(caller, segmentId))), options)
  }
}

export const makeSuppressions = (run: Run, caller: ProjectId): EmbeddedSuppressions => {
  const list: EmbeddedSuppressions["list"] = (input, options) =>
    run(
      Suppressions.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter),
    addReason: (email, reason, options) =>
      run(
        Suppressions.use(({ addReason }) => addReason(caller, email, reason)),
        options
      ),
    removeReason: (email, reason, options) =>
      run(
        Suppressions.use(({ removeReason }) => removeReason(caller, email, reason)),
        options
      ),
    delete: (email, options) =>
      run(Effect.asVoid(Suppressions.use((suppressions) => suppressions.delete(caller, email))), options)
  }
}
