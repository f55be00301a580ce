/**
 * The digest of records: independent of their order and pages, and different after any change of a record.
 */
import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addToDigest, differingKinds, emptyDigests, storeDigestOf } from "../../../src/domain/store/StoreDigest.ts"
import type { StoredRecord } from "../../../src/domain/store/StoredRecord.ts"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")

const settings = fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 9 })
const records = (values: ReadonlyArray<readonly [string, string]>): ReadonlyArray<StoredRecord> =>
  values.map(([name, value]) => ({ kind: "Setting", record: { name, value } }))
const digestOf = (...pages: ReadonlyArray<ReadonlyArray<StoredRecord>>) =>
  pages.reduce((digest, page) => addToDigest(digest, page, sha256), emptyDigests.Setting)

describe("addToDigest", () => {
  it("returns the same digest in every order and division into pages", () => {
    fc.assert(
      fc.property(settings, fc.nat(9), (values, at) => {
        const all = records(values)
        expect(digestOf(all.slice(at).toReversed(), all.slice(0, at))).toEqual(digestOf(all))
      })
    )
  })

  it("returns another digest when a record is missing, changed or there twice", () => {
    const [one, two, other] = records([
      ["a", "1"],
      ["b", "2"],
      ["a", "2"]
    ]) as [StoredRecord, StoredRecord, StoredRecord]
    const digests = [[one], [one, two], [other, two], [one, one], [one, one, two], []].map(
      (all) => digestOf(all).sha256
    )
    expect(new Set(digests).size).toBe(digests.length)
  })

  it("reads the bytes of every part of a content, and where the parts end", () => {
    const content = (...parts: ReadonlyArray<ReadonlyArray<number>>): StoredRecord => ({
      kind: "Content",
      record: { projectId: "prj", hash: "h", chunks: parts.map((bytes) => Uint8Array.from(bytes)) }
    })
    const all = [content([1, 2], [3]), content([1], [2, 3]), content([1, 2], [4]), content([1, 2])]
    expect(new Set(all.map((one) => digestOf([one]).sha256)).size).toBe(all.length)
  })
})

describe("storeDigestOf", () => {
  it("differs when one kind differs, and differingKinds names it", () => {
    const one = storeDigestOf(emptyDigests, sha256)
    const other = storeDigestOf({ ...emptyDigests, Lease: { count: 1, sha256: "1".padStart(64, "0") } }, sha256)
    expect(other.sha256).not.toBe(one.sha256)
    expect(differingKinds(one, other)).toEqual(["Lease"])
    expect(differingKinds(one, one)).toEqual([])
  })
})
