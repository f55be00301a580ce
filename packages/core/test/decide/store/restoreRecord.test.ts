/**
 * What a move writes for a record, with and without a record of an earlier move.
 */
import { describe, expect, it } from "vitest"
import { restoreRecord } from "../../../src/decide/store/restoreRecord.ts"
import type { StoredRecord } from "../../../src/domain/store/StoredRecord.ts"

const setting: StoredRecord = { kind: "Setting", record: { name: "a", value: "1" } }
const event = (isDistributed: boolean, occurredAt = 1): StoredRecord => ({
  kind: "Event",
  record: {
    event: { id: "evt_1", projectId: "prj", occurredAt, kind: "contact.deleted", data: { contactId: "con_1" } },
    isDistributed
  }
})
const distribute = { _tag: "DistributeEvent", projectId: "prj", id: "evt_1" }

describe("restoreRecord", () => {
  it("writes a counter by an addition without a maximum", () => {
    const counter: StoredRecord = { kind: "Counter", record: { projectId: "prj", name: "contacts", value: -3 } }
    const change = { _tag: "AddToCounter", projectId: "prj", name: "contacts", by: -3, max: null }
    expect(restoreRecord(counter, undefined)).toEqual({ first: [change], second: [] })
  })

  it("writes an idempotency record with a guard that replaces no record", () => {
    const result = { messageId: "msg_1" as const, deliveryIds: [], totalQueued: 1, scheduledAt: null }
    const record = { projectId: "prj", key: "k", fingerprint: "f", result, expiresAt: -5 }
    const { first } = restoreRecord({ kind: "Idempotency", record }, undefined)!
    expect(first).toEqual([{ _tag: "RecordIdempotency", record, now: Number.MIN_SAFE_INTEGER }])
  })

  it("distributes an event in a second commit when the source has distributed it", () => {
    expect(restoreRecord(event(false), undefined)!.second).toEqual([])
    const restored = restoreRecord(event(true), undefined)!
    expect(restored.first).toMatchObject([{ _tag: "AppendEvent", event: { id: "evt_1" } }])
    expect(restored.second).toEqual([distribute])
  })

  it("writes nothing when the target has the same record", () => {
    expect(restoreRecord(setting, setting)).toEqual({ first: [], second: [] })
    expect(restoreRecord(event(true), event(true))).toEqual({ first: [], second: [] })
  })

  it("distributes an event that an interrupted move appended", () => {
    expect(restoreRecord(event(true), event(false))).toEqual({ first: [], second: [distribute] })
  })

  it.each([
    ["another value", setting, { kind: "Setting", record: { name: "a", value: "2" } }],
    ["another event", event(true), event(false, 2)],
    ["an event that only the target has distributed", event(false), event(true)]
  ] as ReadonlyArray<readonly [string, StoredRecord, StoredRecord]>)(
    "returns null when the target has %s under the key",
    (_, record, existing) => {
      expect(restoreRecord(record, existing)).toBeNull()
    }
  )
})
