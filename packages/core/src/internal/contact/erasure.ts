/**
 * Erases a person from all records of a project, in pieces. Each piece is one commit. A repeated call continues where an interrupted one ended,
 * because it finds nothing where the work was done. Source: decision 0051.
 */
import { Effect, Result } from "effect"
import {
  endDeliveriesToErased,
  eraseContact,
  eraseFromMessage,
  eraseFromRecords,
  isTheirs,
  isWrittenBy
} from "../../decide/contact/erasure.ts"
import { makeAddressRedaction } from "../../domain/contact/addressRedaction.ts"
import type { ErasedCounts, ErasedKind, ErasedPerson, ErasureReport } from "../../domain/contact/Erasure.ts"
import { addErased, erasedKinds, nothingErased } from "../../domain/contact/Erasure.ts"
import type { KeyedAddress } from "../../domain/contact/Suppression.ts"
import { noLogFilters } from "../../domain/delivery/LogFilters.ts"
import type { StoredRecord, StoredRecordKey } from "../../domain/store/StoredRecord.ts"
import { storedRecordKey } from "../../domain/store/StoredRecord.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { Commit } from "../store/commit.ts"
import { withFacts } from "../store/commit.ts"
import { withFittingPages } from "../store/fittingPages.ts"
import { forEachLoggedMessages } from "../delivery/loggedMessages.ts"
import { forEachRecordPage, recordPage } from "../store/recordPages.ts"

interface Deps {
  readonly store: MailStoreShape
  /** The store, which answers `Records` with fewer records while they are large. */
  readonly pages: MailStoreShape
  readonly commit: Commit
  readonly ids: IdSource["Service"]
}

const resourceIdsMax = 100

/** Messages of one page that are changed at once, so that their commits share disk syncs. */
const messagesAtOnce = 16

/** Runs an effect for each message with a delivery to the person. */
const forEachMessageTo = <E>(
  { store }: Deps,
  { projectId, address }: ErasedPerson,
  onMessage: (messageId: string) => Effect.Effect<void, E>
): Effect.Effect<void, E | StoreUnavailable> =>
  forEachLoggedMessages(store, { projectId, filters: { ...noLogFilters, address } }, (messageIds) =>
    Effect.forEach(messageIds, onMessage, { concurrency: messagesAtOnce, discard: true })
  )

/** Ends the waiting deliveries of one message to the person. */
const endDeliveries = ({ store, commit, ids }: Deps, person: ErasedPerson, messageId: string) => {
  const load = Effect.gen(function* () {
    const [deliveries] = yield* store.read([{ _tag: "DeliveriesOfMessage", projectId: person.projectId, messageId }])
    return { ...(yield* clockFacts(ids, Math.max(1, deliveries.length))), deliveries }
  })
  return commit(
    load,
    ({ deliveries, ...facts }) => Result.succeed(endDeliveriesToErased(deliveries, person, facts)),
    "bounded"
  )
}

/** Erases the person from one message. */
const eraseMessage = ({ store, commit }: Deps, person: ErasedPerson, messageId: string) => {
  const { projectId } = person
  const load = Effect.gen(function* () {
    const [message, deliveries] = yield* store.read([
      { _tag: "Message", projectId, id: messageId },
      { _tag: "DeliveriesOfMessage", projectId, messageId }
    ])
    const attempts = yield* store.read(
      deliveries.map(({ id }) => ({ _tag: "Attempts", projectId, deliveryId: id }) as const)
    )
    const [idempotency] = yield* store.read([{ _tag: "Idempotency", projectId, key: message?.idempotencyKey ?? "" }])
    return { message, deliveries, attempts: attempts.flat(), idempotency }
  })
  return commit(load, (facts) => Result.succeed(eraseFromMessage(facts, person)), "bounded")
}

/**
 * The ids of the messages of these records that cannot be changed yet. The person wrote such a message, and it waits to be sent. Or it was accepted for the
 * person after the messages to the person were erased.
 */
const messagesToKeep = (
  { store }: Deps,
  person: ErasedPerson,
  records: ReadonlyArray<StoredRecord>
): Effect.Effect<ReadonlyArray<string>, StoreUnavailable> => {
  const messages = records.flatMap(({ kind, record }) =>
    kind === "Message" && person.redaction.isIn(record) ? [record] : []
  )
  const theirs = records.flatMap(({ kind, record }) =>
    kind === "Delivery" && isTheirs(person, record) ? [record.messageId] : []
  )
  const { projectId } = person
  return Effect.map(
    store.read(messages.map(({ id }) => ({ _tag: "DeliveriesOfMessage", projectId, messageId: id }) as const)),
    (deliveries) => {
      const kept = messages.filter((message, n) =>
        deliveries[n]!.some((one) => isTheirs(person, one) || (isWrittenBy(person, message) && one.dueAt !== null))
      )
      return [...kept.map(({ id }) => id), ...theirs]
    }
  )
}

/**
 * Erases the person from all records of one kind of the project that mention the person, one page in each commit. Adds the messages that wait to
 * those under way.
 */
const eraseKind = (
  deps: Deps,
  person: ErasedPerson,
  kind: ErasedKind,
  messagesUnderWay: Set<string>
): Effect.Effect<ErasedCounts, StoreUnavailable> =>
  Effect.gen(function* () {
    let erased = nothingErased
    let after: StoredRecordKey | null = null
    while (true) {
      const from: StoredRecordKey | null = after
      const load = Effect.gen(function* () {
        const page = yield* recordPage(deps.pages, { kind, projectId: person.projectId, after: from })
        for (const id of yield* messagesToKeep(deps, person, page)) messagesUnderWay.add(id)
        return page
      })
      const { answer, facts: page } = yield* deps.commit(
        load,
        withFacts((records) => eraseFromRecords(records, person, messagesUnderWay)),
        "bounded"
      )
      erased = addErased(erased, answer)
      const last = page.at(-1)
      if (last === undefined) return erased
      after = storedRecordKey(last)
    }
  })

/** Deletes the contact and the address of its suppression, in one commit. */
const deleteErased = ({ store, commit, ids }: Deps, keyedAddress: KeyedAddress) => {
  const { projectId, address, addressKey } = keyedAddress
  const load = Effect.gen(function* () {
    const clock = yield* clockFacts(ids, 1)
    const [[contact], [suppression]] = yield* store.read([
      { _tag: "ContactsByAddress", projectId, addresses: [address] },
      { _tag: "Suppressions", projectId, addressKeys: [addressKey] }
    ])
    return { ...clock, keyedAddress, contact: contact!, suppression: suppression! }
  })
  return commit(load, (facts) => Result.succeed(eraseContact(facts)), "bounded")
}

/** The kinds of records with texts of the product, such as the name of an API key. An erasure keeps them. */
const keptKinds = ["Resource", "ApiKey"] as const

/** The resources and API keys of the project that contain the address. */
const resourcesWith = ({ pages }: Deps, { projectId, redaction }: ErasedPerson) =>
  Effect.gen(function* () {
    const found: Array<string> = []
    for (const kind of keptKinds)
      yield* forEachRecordPage(pages, { kind, projectId }, (records) =>
        Effect.sync(() => {
          for (const { record } of records)
            if (found.length < resourceIdsMax && redaction.isIn(record)) found.push(record.id)
        })
      )
    return found
  })

/** Makes the erasure of a person by the keyed address. */
export const makeErasure =
  ({ store, commit, ids }: Omit<Deps, "pages">) =>
  (keyedAddress: KeyedAddress): Effect.Effect<ErasureReport, StoreUnavailable> =>
    Effect.gen(function* () {
      const deps: Deps = { store, pages: withFittingPages(store), commit, ids }
      const { projectId, address } = keyedAddress
      const [[contact]] = yield* store.read([{ _tag: "ContactsByAddress", projectId, addresses: [address] }])
      const redaction = makeAddressRedaction(address)
      const person: ErasedPerson = { projectId, address, contactId: contact?.id ?? null, redaction }
      let ended = 0
      const underWay = new Set<string>()
      yield* forEachMessageTo(deps, person, (messageId) =>
        Effect.map(endDeliveries(deps, person, messageId), (answer) => {
          ended += answer.ended
          // A worker that claimed a delivery before it ended may still read the message.
          if (answer.isClaimed) underWay.add(messageId)
        })
      )
      let erased = nothingErased
      yield* forEachMessageTo(deps, person, (messageId) =>
        underWay.has(messageId)
          ? Effect.void
          : Effect.map(eraseMessage(deps, person, messageId), ({ isUnderWay, ...counts }) => {
              erased = addErased(erased, counts)
              if (isUnderWay) underWay.add(messageId)
            })
      )
      for (const kind of erasedKinds) erased = addErased(erased, yield* eraseKind(deps, person, kind, underWay))
      const { contactId, suppression } = yield* deleteErased(deps, keyedAddress)
      // A contact that was created meanwhile has events behind the pages that were read.
      if (contactId !== null && contactId !== person.contactId)
        erased = addErased(erased, yield* eraseKind(deps, person, "Event", underWay))
      return {
        ...addErased(erased, { deleted: { Contact: contactId === null ? 0 : 1 } }),
        isComplete: underWay.size === 0,
        ended,
        underWay: underWay.size,
        kept: { suppression, resourceIds: yield* resourcesWith(deps, person) }
      }
    })
