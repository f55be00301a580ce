/**
 * Aims the changes of a random script: gives most of them the revision, status, phase and fencing token that the record has at that step.
 * Without this, most changes of a random script are refused, and the script reaches few states.
 */
import type { Answer, Change, ChangeOf, Query, StoredRecord } from "@mailkeep/core/adapter"
import { inCommitOrder, recordKeyOf, storedRecordKey } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import type { Script, Step } from "../Script.ts"
import { runStep } from "../Script.ts"
import { ofOneProject } from "./change.ts"
import { rewritten } from "./mailChange.ts"

/** A step, and whether its changes are aimed. */
export interface Shot {
  readonly step: Step
  readonly isAimed: boolean
}

/** Reads the state that the steps before this one leave. */
type Read = <const Q extends Query>(query: Q) => Answer<Q>

type Existing = { readonly revision: number } | null | undefined

const expectedOf = (read: Read, { record }: ChangeOf<"Expect">): Existing => {
  switch (record.kind) {
    case "ApiKey":
      return read({ _tag: "ApiKey", projectId: record.projectId, id: record.id })
    case "Domain":
      return read({ _tag: "Domain", projectId: record.projectId, domain: record.domain })
    case "Suppression":
      return read({ _tag: "Suppressions", projectId: record.projectId, addressKeys: [record.addressKey] })[0]
    case "Resource":
      return read({ _tag: "Resource", projectId: record.projectId, id: record.id })
    case "ContactAddress":
      return read({ _tag: "ContactsByAddress", projectId: record.projectId, addresses: [record.address] })[0]
  }
}

const replacing = <R extends { readonly revision: number }>(record: R, existing: Existing) =>
  existing === null || existing === undefined
    ? { record: { ...record, revision: 1 }, replaces: null }
    : { record: { ...record, revision: existing.revision + 1 }, replaces: existing.revision }

/** The stored record with the key of this one, or another of its kind. */
const storedLike = <R extends StoredRecord>(read: Read, record: R): R | undefined => {
  const query = { _tag: "Records", kind: record.kind, projectId: null, after: null, limit: 100 } as const
  const records = read(query) as ReadonlyArray<R>
  return records.find((one) => storedRecordKey(one).join() === storedRecordKey(record).join()) ?? records[0]
}

/** The change with the guard that holds now, if there is one. */
const aimedChange = (read: Read, change: Change): Change => {
  switch (change._tag) {
    case "Expect":
      return { ...change, revision: expectedOf(read, change)?.revision ?? null }
    case "PutProject": {
      const { record, replaces } = replacing(change.project, read({ _tag: "Project", id: change.project.id }))
      return { ...change, project: record, replaces }
    }
    case "PutApiKey": {
      const { projectId, id } = change.key
      const { record, replaces } = replacing(change.key, read({ _tag: "ApiKey", projectId, id }))
      return { ...change, key: record, replaces }
    }
    case "PutDomain": {
      const { projectId, domain } = change.domain
      const { record, replaces } = replacing(change.domain, read({ _tag: "Domain", projectId, domain }))
      return { ...change, domain: record, replaces }
    }
    case "RemoveDomain": {
      const { projectId, domain } = change
      const existing = read({ _tag: "Domain", projectId, domain })
      return { ...change, revision: existing?.revision ?? change.revision }
    }
    case "PutResource": {
      const { projectId, id } = change.resource
      const existing = read({ _tag: "Resource", projectId, id })
      const { record, replaces } = replacing(change.resource, existing)
      return { ...change, resource: record, replaces }
    }
    case "RemoveResource": {
      const existing = read({ _tag: "Resource", projectId: change.projectId, id: change.id })
      return { ...change, revision: existing?.revision ?? change.revision }
    }
    case "PutContact": {
      const { projectId, id } = change.contact
      const existing = read({ _tag: "Contact", projectId, id })
      const { record, replaces } = replacing(change.contact, existing)
      return { ...change, contact: record, replaces }
    }
    case "RemoveContact": {
      const existing = read({ _tag: "Contact", projectId: change.projectId, id: change.id })
      return { ...change, revision: existing?.revision ?? change.revision }
    }
    case "PutSuppression": {
      const { projectId, addressKey } = change.suppression
      const [existing] = read({ _tag: "Suppressions", projectId, addressKeys: [addressKey] })
      const { record, replaces } = replacing(change.suppression, existing)
      return { ...change, suppression: record, replaces }
    }
    case "TransitionAttempt": {
      const { projectId, deliveryId, number } = change
      const delivery = read({ _tag: "Delivery", projectId, id: deliveryId })
      const attempts = read({ _tag: "Attempts", projectId, deliveryId })
      const attempt = attempts.find((one) => one.number === number) ?? attempts[0]
      return delivery === null || attempt === undefined
        ? change
        : { ...change, number: attempt.number, from: attempt.phase, fencingToken: delivery.fencingToken }
    }
    case "TransitionDelivery": {
      const delivery = read({ _tag: "Delivery", projectId: change.projectId, id: change.id })
      return delivery === null ? change : { ...change, from: delivery.status, fencingToken: delivery.fencingToken }
    }
    case "TransitionEventDelivery": {
      const delivery = read({ _tag: "EventDelivery", projectId: change.projectId, id: change.id })
      return delivery === null ? change : { ...change, from: delivery.status, fencingToken: delivery.fencingToken }
    }
    case "RewriteRecord": {
      const existing = storedLike(read, change.before)
      const { after } = change
      return existing === undefined
        ? change
        : { ...change, before: existing, after: after === null ? null : rewritten(existing, after) }
    }
    case "RemoveRecord":
      return { ...change, record: storedLike(read, change.record) ?? change.record }
    default:
      return change
  }
}

/** Aims each change of a commit. Leaves out a change that then has the same record as an earlier one, or is of another project. */
const aimedCommit = (read: Read, changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const byKey = new Map(
    changes.map((change) => aimedChange(read, change)).map((change) => [recordKeyOf(change), change])
  )
  return inCommitOrder(ofOneProject([...byKey.values()]))
}

/** Returns the script of the shots. All operations of the reference store are synchronous. */
export const aimed = (shots: ReadonlyArray<Shot>): Script => {
  const store = Effect.runSync(MemoryMailStore.make)
  const read: Read = (query) => Effect.runSync(store.read([query]))[0]
  return shots.map(({ step, isAimed }) => {
    const next = isAimed && "commit" in step ? { commit: aimedCommit(read, step.commit) } : step
    // The next step is aimed at the state that this one leaves.
    if (!("read" in next)) Effect.runSync(Effect.exit(runStep(store, next)))
    return next
  })
}
