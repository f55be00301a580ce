/**
 * The digest of a store: the number of records of each kind, and a hash of their contents that does not depend on their order.
 * Two stores with the same records have the same digest. Source: decision 0050.
 */
import type { Json } from "../value/CanonicalJson.ts"
import { canonicalJson } from "../value/CanonicalJson.ts"
import type { RecordKind, StoredRecord } from "./StoredRecord.ts"
import { recordKinds } from "./StoredRecord.ts"

/** The number of records of one kind, and their hash. */
export interface KindDigest {
  readonly count: number
  /** The sum of the SHA-256 of all records, modulo 2^256, in hexadecimal. */
  readonly sha256: string
}

/** The digest of a store. */
export interface StoreDigest {
  /** SHA-256 over the counts and hashes of all kinds, in hexadecimal. */
  readonly sha256: string
  readonly kinds: Readonly<Record<RecordKind, KindDigest>>
}

type Sha256 = (data: string | Uint8Array) => string

/** The parts of a content are replaced by their hashes. */
const toJson = ({ kind, record }: StoredRecord, sha256: Sha256): Json =>
  (kind === "Content" ? { ...record, chunks: record.chunks.map(sha256) } : record) as unknown as Json

const modulus = 1n << 256n

const empty: KindDigest = { count: 0, sha256: "0".repeat(64) }

/** Adds records of one kind to its digest. */
export const addToDigest = (
  { count, sha256: sum }: KindDigest,
  records: ReadonlyArray<StoredRecord>,
  sha256: Sha256
): KindDigest => {
  const total = records.reduce(
    (all, record) => all + BigInt(`0x${sha256(canonicalJson(toJson(record, sha256)))}`),
    BigInt(`0x${sum}`)
  )
  return { count: count + records.length, sha256: (total % modulus).toString(16).padStart(64, "0") }
}

/** The digests of no records. */
export const emptyDigests = Object.fromEntries(recordKinds.map((kind) => [kind, empty])) as StoreDigest["kinds"]

/** The digest of a store from the digests of its kinds. */
export const storeDigestOf = (kinds: StoreDigest["kinds"], sha256: Sha256): StoreDigest => ({
  kinds,
  sha256: sha256(recordKinds.map((kind) => `${kind} ${kinds[kind].count} ${kinds[kind].sha256}\n`).join(""))
})

/** The kinds whose digests differ. */
export const differingKinds = (a: StoreDigest, b: StoreDigest): ReadonlyArray<RecordKind> =>
  recordKinds.filter(
    (kind) => a.kinds[kind].count !== b.kinds[kind].count || a.kinds[kind].sha256 !== b.kinds[kind].sha256
  )
