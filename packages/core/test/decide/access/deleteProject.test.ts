import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inCommitOrder } from "../../../src/adapter.ts"
import { beginDeletion, deleteMessages, deleteRecords, endDeletion } from "../../../src/decide/access/deleteProject.ts"
import type { DeleteMessagesFacts } from "../../../src/decide/access/deleteProject.ts"
import { expectResource } from "../../../src/decide/store/expectation.ts"
import { nothingDeleted } from "../../../src/domain/access/ProjectDeletion.ts"
import type { ResourceOf } from "../../../src/domain/store/Resource.ts"
import type { StoredRecord } from "../../../src/domain/store/StoredRecord.ts"
import { contact, delivery, domain, eventDelivery, eventRecord, message, now, project, resource } from "../fixtures.ts"

const deletion: ResourceOf<"projectDeletion"> = {
  ...resource("projectDeletion", `pdl_${project}`, null, {}),
  createdAt: now,
  updatedAt: now,
  revision: 1
}

const guard = expectResource(deletion)
const ended = { deleted: nothingDeleted, isEnded: true }
const projectRecord = {
  id: project,
  onAmbiguous: "retry",
  listUnsubscribe: false,
  createdAt: now,
  revision: 1
} as const

describe("beginDeletion", () => {
  const records: ReadonlyArray<StoredRecord> = [{ kind: "Domain", record: domain() }]
  const removal = { _tag: "RemoveDomain", projectId: project, domain: domain().domain, revision: domain().revision }

  it("writes the record of the deletion in the commit that deletes the domains", () =>
    expect(beginDeletion(project, { now, deletion: null, records })).toEqual({
      answer: { deleted: { ...nothingDeleted, Domain: 1 }, isEnded: false },
      changes: [{ _tag: "PutResource", resource: deletion, replaces: null }, removal]
    }))

  it("guards the record of a deletion that has begun", () => {
    expect(beginDeletion(project, { now, deletion, records }).changes).toEqual([guard, removal])
    expect(beginDeletion(project, { now, deletion, records: [] }).changes).toEqual([])
  })
})

describe("deleteMessages", () => {
  const live = { worker: "w", renewedAt: now, leaseUntil: now + 1 }
  const decide = (change: Partial<DeleteMessagesFacts>) =>
    deleteMessages({ now, deletion, messages: [], leases: [live], ...change })
  const sending = delivery({ id: "del_2", status: "sending", worker: "w" })

  it("deletes a message with its deliveries, those that wait too", () => {
    const deliveries = [delivery(), delivery({ id: "del_3", worker: "w" })]
    expect(decide({ messages: [{ message: message(), deliveries }] })).toEqual({
      answer: { deleted: { ...nothingDeleted, Message: 1, Delivery: 2 }, isEnded: false, underWay: [] },
      changes: [
        guard,
        ...deliveries.map((record) => ({ _tag: "RewriteRecord", before: { kind: "Delivery", record }, after: null })),
        { _tag: "RewriteRecord", before: { kind: "Message", record: message() }, after: null }
      ]
    })
  })

  it.each([
    ["keeps a delivery that is being handed over, with its message", [live], { Message: 0, Delivery: 1 }],
    ["deletes a delivery whose worker has no live lease", [{ ...live, leaseUntil: now }], { Message: 1, Delivery: 2 }],
    ["deletes a delivery whose worker has no lease", [], { Message: 1, Delivery: 2 }],
    ["deletes a delivery beside the lease of another worker", [{ ...live, worker: "v" }], { Message: 1, Delivery: 2 }]
  ])("%s", (_, leases, deleted) => {
    const { answer } = decide({ messages: [{ message: message(), deliveries: [delivery(), sending] }], leases })
    expect(answer.deleted).toMatchObject(deleted)
    expect(answer.underWay).toEqual(deleted.Message === 0 ? [message().id] : [])
  })

  it("deletes deliveries without a message", () =>
    expect(decide({ messages: [{ message: null, deliveries: [delivery()] }] }).answer.deleted).toMatchObject({
      Message: 0,
      Delivery: 1
    }))

  it("deletes nothing when another process has ended the deletion", () =>
    expect(decide({ deletion: null, messages: [{ message: message(), deliveries: [delivery()] }] })).toEqual({
      answer: { ...ended, underWay: [] },
      changes: []
    }))

  it("deletes each message whole, or keeps it with all deliveries that are under way", () => {
    const deliveries = fc.array(
      fc.record({
        status: fc.constantFrom("queued", "scheduled", "sending", "accepted", "failed"),
        worker: fc.constantFrom("w", "v", null)
      }),
      { maxLength: 4 }
    )
    fc.assert(
      fc.property(fc.array(deliveries, { maxLength: 4 }), (drawn) => {
        const messages = drawn.map((states, m) => ({
          message: message({ id: `msg_${m}` }),
          deliveries: states.map((state, n) => delivery({ ...state, id: `del_${m}${n}`, messageId: `msg_${m}` }))
        }))
        const { answer, changes } = decide({ messages })
        const keysOf = (kind: string) =>
          changes.flatMap((one) =>
            one._tag === "RewriteRecord" && one.before.kind === kind ? [one.before.record] : []
          )
        const left = messages.flatMap((one) => one.deliveries.filter((each) => !keysOf("Delivery").includes(each)))
        expect(left.every(({ status, worker }) => status === "sending" && worker === "w")).toBe(true)
        const kept = messages.filter((one) => !keysOf("Message").includes(one.message))
        expect(kept.map((one) => one.message.id)).toEqual([...new Set(left.map(({ messageId }) => messageId))])
        expect(answer.underWay).toEqual(kept.map((one) => one.message.id))
        expect(inCommitOrder(changes).length).toBe(changes.length)
        if (changes.length > 0) expect(changes[0]).toEqual(guard)
      })
    )
  })
})

describe("deleteRecords", () => {
  const apiKey = {
    id: "key_1",
    projectId: project,
    publicId: "p",
    secretHash: "h",
    name: "",
    permissions: [],
    domainScope: null,
    createdAt: now,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    revision: 1
  } as const
  const idempotency = {
    projectId: project,
    key: "k",
    fingerprint: "f",
    result: { messageId: "msg_1", deliveryIds: [], totalQueued: 0, scheduledAt: null },
    expiresAt: now
  } as const

  it.each<[StoredRecord, object]>([
    [{ kind: "ApiKey", record: apiKey }, { _tag: "RemoveRecord" }],
    [{ kind: "Counter", record: { projectId: project, name: "allowance", value: 3 } }, { _tag: "RemoveRecord" }],
    [{ kind: "EventDelivery", record: eventDelivery() }, { _tag: "RemoveRecord" }],
    [
      { kind: "Contact", record: contact() },
      { _tag: "RemoveContact", id: contact().id, revision: contact().revision }
    ],
    [
      { kind: "Resource", record: resource("list", "lst_1", "News", { name: "News", description: "" }) },
      { _tag: "RemoveResource", id: "lst_1" }
    ],
    [
      { kind: "Event", record: { event: eventRecord(), isDistributed: false } },
      { _tag: "RewriteRecord", after: null }
    ],
    [
      { kind: "Idempotency", record: idempotency },
      { _tag: "RewriteRecord", after: null }
    ]
  ])("deletes the record %j by its own change", (record, change) => {
    const { answer, changes } = deleteRecords({ deletion, records: [record] })
    expect(changes).toMatchObject([guard, change])
    expect(answer.deleted).toEqual({ ...nothingDeleted, [record.kind]: 1 })
  })

  it("keeps the record of the deletion", () =>
    expect(deleteRecords({ deletion, records: [{ kind: "Resource", record: deletion }] })).toEqual({
      answer: { deleted: nothingDeleted, isEnded: false },
      changes: []
    }))

  it("deletes nothing when another process has ended the deletion", () =>
    expect(deleteRecords({ deletion: null, records: [{ kind: "Contact", record: contact() }] })).toEqual({
      answer: ended,
      changes: []
    }))
})

describe("endDeletion", () => {
  const removal = { _tag: "RemoveResource", projectId: project, id: deletion.id, revision: 1 }

  it("deletes the project with the record of the deletion", () =>
    expect(endDeletion({ deletion, project: projectRecord })).toEqual({
      answer: { deleted: { ...nothingDeleted, Project: 1 }, isEnded: true },
      changes: [{ _tag: "RemoveRecord", record: { kind: "Project", record: projectRecord } }, removal]
    }))

  it("deletes the record of the deletion when there is no project", () =>
    expect(endDeletion({ deletion, project: null })).toEqual({ answer: ended, changes: [removal] }))

  it("changes nothing when another process has ended the deletion", () =>
    expect(endDeletion({ deletion: null, project: projectRecord })).toEqual({ answer: ended, changes: [] }))
})
