/**
 * Laws of contents: the bytes of files are kept exactly, once for each project, in the commit that writes them.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { chunkBytes, chunkCountOf, chunksOf } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, commitResult, insert, put, sweepOldestMessages } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0042-attachments.md")

/** Bytes of every value, of which no two chunks are equal. */
const contentOf = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  // `Uint8Array.from` with a function takes a second for 20 MiB.
  for (let at = 0; at < size; at++) bytes[at] = (at * 7 + Math.floor(at / 251)) % 256
  return bytes
}

const chunkAt = (store: MailStoreShape, hash: string, chunk = 0, project = projectId) =>
  ask(store, { _tag: "ContentChunk", projectId: project, hash, chunk })

const unchanged = law(
  "contents/bytes-unchanged",
  "The store returns each chunk of a content with its bytes unchanged, and no chunk after the last. An empty content has one empty chunk.",
  function* (store) {
    for (const size of [0, 1, 256, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes + 3]) {
      const [hash, chunks] = [`h${size}`, chunksOf(contentOf(size))]
      yield* commit(store, put.content(hash, chunks), insert.message(sample.message({ id: `msg_${size}` })))
      for (const [chunk, bytes] of chunks.entries())
        yield* same(`chunk ${chunk} of a content of ${size} bytes`, yield* chunkAt(store, hash, chunk), bytes)
      yield* same(`the chunk after a content of ${size} bytes`, yield* chunkAt(store, hash, chunkCountOf(size)), null)
      yield* same("a chunk before the first", yield* chunkAt(store, hash, -1), null)
    }
  }
)

const once = law(
  "contents/stored-once",
  "A content that the project has is not written again, and the commit is applied.",
  function* (store) {
    const first = [contentOf(3)]
    yield* commit(store, put.content("h", first), insert.message(sample.message({ id: "msg_1" })))
    const again = [contentOf(4), contentOf(2)]
    const result = yield* commitResult(store, put.content("h", again), insert.message(sample.message({ id: "msg_2" })))
    yield* same("the result of the second commit", result, "applied")
    const chunks = yield* Effect.forEach([0, 1], (chunk) => chunkAt(store, "h", chunk))
    yield* same("the chunks of the content", chunks, [first[0], null])
  }
)

const apart = law(
  "contents/apart-for-each-project",
  "A project never sees the content of another project, and writes its own content under the same hash.",
  function* (store) {
    yield* commit(store, put.content("h", [contentOf(3)]))
    const others = yield* Effect.all([
      chunkAt(store, "h", 0, otherId),
      chunkAt(store, "h", 0, projectId.toUpperCase()),
      chunkAt(store, "H"),
      chunkAt(store, `/h`)
    ])
    yield* same("the content for other projects and under other names", others, [null, null, null, null])
    yield* commit(store, put.content("h", [contentOf(5)], otherId))
    const own = yield* Effect.forEach([projectId, otherId], (project) => chunkAt(store, "h", 0, project))
    yield* same("the content of each project", own, [contentOf(3), contentOf(5)])
  }
)

const withItsCommit = law(
  "contents/with-their-commit",
  "When a guard does not hold, no content of its commit is kept.",
  function* (store) {
    yield* commit(store, insert.message(sample.message({ id: "msg_1" })))
    const result = yield* commitResult(
      store,
      put.content("h", [contentOf(3)]),
      insert.message(sample.message({ id: "msg_1" }))
    )
    yield* same("the result of the commit", result, "AlreadyExists")
    yield* same("the content of the refused commit", yield* chunkAt(store, "h"), null)
  }
)

/** How often a send and a sweep meet. Every third time, the content is so large that a store may write it before its commit. */
const meetings = Array.from({ length: 24 }, (_, n) => ({ n, size: n % 3 === 0 ? 5 * chunkBytes : 3 }))

const besideSweep = law(
  "contents/kept-beside-a-sweep",
  "A content that a new message uses is kept when a sweep deletes the other messages with it at the same time.",
  function* (store) {
    for (const { n, size } of meetings) {
      const [hash, chunks] = [`h${n}`, chunksOf(contentOf(size))]
      const attachments = [sample.attachment({ hash })]
      const write = (id: `msg_${string}`, createdAt: number) =>
        commit(store, put.content(hash, chunks), insert.message(sample.message({ id, createdAt, attachments })))
      yield* write(`msg_old_${n}`, 1)
      // The send begins a little later each time, so that it meets another step of the sweep.
      const reads = Array.from({ length: n % 8 }, () => ask(store, { _tag: "Setting", name: "any" }))
      const send = Effect.andThen(Effect.all(reads), write(`msg_new_${n}`, noon))
      yield* Effect.all([send, sweepOldestMessages(store, noon, 9)], { concurrency: "unbounded", discard: true })
      const found = yield* Effect.forEach(chunks, (_, chunk) => chunkAt(store, hash, chunk))
      yield* same(
        `the chunks of ${hash}`,
        found.map((chunk) => chunk?.length),
        chunks.map((chunk) => chunk.length)
      )
    }
  }
)

/** The largest content by the default plan. */
const largeBytes = 20 * 1024 * 1024

const large = law(
  "contents/as-large-as-they-come",
  "The store keeps a commit with a content of 20 MiB, also when several such commits come one after another.",
  function* (store) {
    const chunks = chunksOf(contentOf(largeBytes))
    for (const n of [1, 2, 3]) {
      const result = yield* commitResult(
        store,
        put.content(`h${n}`, chunks),
        insert.message(sample.message({ id: `msg_${n}` }))
      )
      yield* same(`the result of large commit ${n}`, result, "applied")
    }
    for (const [chunk, bytes] of chunks.entries()) {
      const existing = yield* chunkAt(store, "h3", chunk)
      // A comparison of megabytes with a report of each byte would take long.
      const isEqual = existing !== null && Buffer.compare(existing, bytes) === 0
      yield* same(`whether chunk ${chunk} is unchanged`, isEqual, true)
    }
  }
)

export const contentLaws: ReadonlyArray<StoreLaw> = [unchanged, once, apart, withItsCommit, large, besideSweep]
