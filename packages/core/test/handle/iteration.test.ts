/**
 * Which records an iteration by pages emits, and how often it reads, while records are deleted, and when an iteration ends.
 */
import { expect, it } from "vitest"
import { eachOfCursors, eachOfPages } from "../../src/handle/iteration.ts"

const recordsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `rec_${n}` }))

/** A list that counts its reads. `beforeRead` may change the records. */
const listOf = (count: number, beforeRead: (records: Array<{ readonly id: string }>) => void = () => {}) => {
  const records = recordsOf(count)
  let reads = 0
  return {
    records,
    reads: () => reads,
    read: async ({ page, limit }: { readonly page: number; readonly limit: number }) => {
      reads++
      beforeRead(records)
      return { items: records.slice((page - 1) * limit, page * limit), total: records.length, page, limit }
    }
  }
}

const idsOf = async (iteration: AsyncIterable<{ readonly id: string }>) => {
  const ids: Array<string> = []
  for await (const { id } of iteration) ids.push(id)
  return ids
}

it.each([0, 1, 99, 100, 101, 1000])("emits each of %i records once", async (count) => {
  const list = listOf(count)
  expect(await idsOf(eachOfPages(list.read))).toEqual(list.records.map(({ id }) => id))
  expect(list.reads()).toBe(Math.floor(count / 100) + 1)
})

it.each([1, 10, 70])(
  "leaves out no record while %i that it has emitted are deleted before each read",
  async (count) => {
    const emitted: Array<string> = []
    let deleted = 0
    const list = listOf(5000, (records) => {
      for (const id of emitted.slice(deleted, deleted + count)) {
        records.splice(
          records.findIndex((record) => record.id === id),
          1
        )
        deleted++
      }
    })
    for await (const { id } of eachOfPages(list.read)) emitted.push(id)
    expect(emitted.toSorted()).toEqual(
      recordsOf(5000)
        .map(({ id }) => id)
        .toSorted()
    )
    expect(list.reads()).toBeLessThan(200)
  }
)

it("leaves out no record when the loop deletes each second one", async () => {
  const list = listOf(1000)
  let emitted = 0
  for await (const { id } of eachOfPages(list.read))
    if (emitted++ % 2 === 0)
      list.records.splice(
        list.records.findIndex((record) => record.id === id),
        1
      )
  expect([emitted, list.records.length]).toEqual([1000, 500])
})

it("reads pages with a cursor until one has no next page", async () => {
  const asked: Array<string | null> = []
  const pages = eachOfCursors(async ({ cursor, limit }) => {
    asked.push(cursor)
    return asked.length < 3
      ? { items: [{ id: `rec_${asked.length}` }], limit, hasMore: true, nextCursor: `c${asked.length}` }
      : { items: [{ id: "rec_3" }], limit, hasMore: false, nextCursor: null }
  })
  expect(await idsOf(pages)).toEqual(["rec_1", "rec_2", "rec_3"])
  expect(asked).toEqual([null, "c1", "c2"])
})

it("ends with an error when a page has its own cursor as the next one", async () => {
  let reads = 0
  const pages = eachOfCursors(async ({ limit }) => {
    reads++
    return { items: [{ id: "rec_1" }], limit, hasMore: true, nextCursor: "c1" }
  })
  await expect(idsOf(pages)).rejects.toThrow("The list does not end")
  expect(reads).toBe(2)
})
