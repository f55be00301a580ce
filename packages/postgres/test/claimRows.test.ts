import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Candidate, SearchLimits } from "../src/internal/claim/claimRows.ts"
import { makeClaimRows } from "../src/internal/claim/claimRows.ts"

interface Row {
  readonly projectId: string
  readonly id: string
}

const row = (id: string): Row => ({ projectId: "prj_1", id })
const candidate = (id: string): Candidate => ({ ...row(id), dueAt: 0, fencingToken: 0 })
const idsOf = (rows: ReadonlyArray<Row>) => rows.map(({ id }) => id).join("")
const letters = [..."abcdefghijklmnopqrstuvwxyz"]

/** What a search finds, and which of it is marked. Each letter is a row. */
interface Search {
  readonly found: string
  readonly marked: string
  /** Otherwise as many as are wanted. */
  readonly allowed?: number
}

const usable = () => Promise.resolve()
const { signal } = new AbortController()

/** Claims with searches that have these results one after the other, and find nothing afterwards. Returns the rows and the limits of each search. */
const claimWith = async (limit: number, results: ReadonlyArray<Search>, claimRows = makeClaimRows(usable)) => {
  const limits: Array<SearchLimits<Row>> = []
  const rows = await claimRows<Row>(limit, signal, (one) => {
    limits.push({ ...one, passedOver: [...one.passedOver], claimed: [...one.claimed] })
    const { found, marked, allowed } = results[limits.length - 1] ?? { found: "", marked: "" }
    return Promise.resolve({
      candidates: [...found].map(candidate),
      rows: [...marked].map(row),
      allowed: allowed ?? one.wanted
    })
  })
  return { claimed: idsOf(rows), limits }
}

describe("a claim", () => {
  it("has the marked rows in the order of the search", async () => {
    const { claimed, limits } = await claimWith(3, [{ found: "abc", marked: "cab" }])
    expect(claimed).toBe("abc")
    expect(limits).toEqual([{ wanted: 3, spare: 0, passedOver: [], claimed: [] }])
  })

  it.each<[string, number, ReadonlyArray<Search>, string, number]>([
    ["nothing is due", 3, [], "", 1],
    ["all that is due is marked", 3, [{ found: "ab", marked: "ab" }], "ab", 1],
    ["as many are marked as may be", 3, [{ found: "abc", marked: "ab", allowed: 2 }], "ab", 1],
    ["others have taken all, and no more is due", 3, [{ found: "ab", marked: "" }], "", 2],
    [
      "the second search finds the rest",
      3,
      [
        { found: "abc", marked: "b" },
        { found: "de", marked: "de" }
      ],
      "bde",
      2
    ]
  ])("searches until %s", async (_, limit, results, claimed, searches) => {
    const claim = await claimWith(limit, results)
    expect([claim.claimed, claim.limits.length]).toEqual([claimed, searches])
  })

  it("passes over what it found when it searches for the rest", async () => {
    const results = [
      { found: "abc", marked: "b" },
      { found: "de", marked: "e" },
      { found: "f", marked: "f" }
    ]
    const { claimed, limits } = await claimWith(3, results)
    expect(claimed).toBe("bef")
    expect(limits.map(({ wanted, passedOver, claimed }) => [wanted, passedOver.join(""), idsOf(claimed)])).toEqual([
      [3, "", ""],
      [2, "abc", "b"],
      [1, "abcde", "be"]
    ])
  })

  it("searches at most five times", async () => {
    const { claimed, limits } = await claimWith(
      9,
      letters.map((letter) => ({ found: letter, marked: "" }))
    )
    expect([claimed, limits.length]).toEqual(["", 5])
  })

  it("does not search again after its caller was interrupted, and keeps what it has marked", async () => {
    const interruption = new AbortController()
    let searches = 0
    const rows = await makeClaimRows(usable)<Row>(3, interruption.signal, () => {
      searches++
      interruption.abort()
      return Promise.resolve({ candidates: [..."abc"].map(candidate), rows: [row("b")], allowed: 3 })
    })
    expect([idsOf(rows), searches]).toEqual(["b", 1])
  })

  it("checks the version of the tables when it found rows and none was marked", async () => {
    let checks = 0
    const refuse = () => {
      checks++
      return Promise.reject(new Error("newer tables"))
    }
    const claimRows = makeClaimRows(refuse)
    await expect(claimWith(2, [{ found: "ab", marked: "" }], claimRows)).rejects.toThrow("newer tables")
    expect(checks).toBe(1)
    await claimWith(2, [{ found: "ab", marked: "a" }], claimRows)
    await claimWith(2, [], claimRows)
    expect(checks).toBe(1)
  })

  describe("of which a search fails", () => {
    /** The first search has a result, and the second one fails. */
    const failing = (first: Search, cause: Error) => {
      let searches = 0
      return makeClaimRows(usable)<Row>(3, signal, () => {
        if (searches++ > 0) return Promise.reject(cause)
        return Promise.resolve({
          candidates: [...first.found].map(candidate),
          rows: [...first.marked].map(row),
          allowed: 3
        })
      })
    }
    const lost = new Error("lost")
    const deadlock = Object.assign(new Error("deadlock"), { code: "40P01" })

    it.each([
      ["no row is marked and the search is lost", "", lost],
      ["no row is marked and the server has undone the search", "", deadlock],
      // Otherwise nobody would work on the rows that the lost search has marked, while the worker renews its lease.
      ["a row is marked and the search is lost", "b", lost]
    ])("fails when %s", async (_, marked, cause) => {
      await expect(failing({ found: "abc", marked }, cause)).rejects.toBe(cause)
    })

    it("keeps the rows that earlier searches have marked when the server has undone the search", async () => {
      expect(idsOf(await failing({ found: "abc", marked: "b" }, deadlock))).toBe("b")
    })
  })
})

describe("the next search", () => {
  const spareAfter = async (...results: ReadonlyArray<Search>) => {
    const claimRows = makeClaimRows(usable)
    for (const result of results) await claimWith(result.marked.length, [result], claimRows)
    return (await claimWith(1, [], claimRows)).limits[0]!.spare
  }
  const manyTaken = { found: `${letters.slice(1).join("")}${letters.join("").toUpperCase()}a`, marked: "a" }

  it.each<[string, ReadonlyArray<Search>, number]>([
    ["no spare rows before another", [], 0],
    ["no spare rows while others take nothing", [{ found: "ab", marked: "ab" }], 0],
    ["twice as many spare rows as others took", [{ found: "abcd", marked: "bd" }], 4],
    ["no more for the rows after the last marked one of a full claim", [{ found: "abcd", marked: "b" }], 2],
    ["at most 64 spare rows", [manyTaken], 64],
    [
      "as many as before while others take fewer",
      [
        { found: "abcd", marked: "d" },
        { found: "ab", marked: "b" }
      ],
      6
    ],
    [
      "half as many after others took nothing",
      [
        { found: "abcd", marked: "d" },
        { found: "a", marked: "a" }
      ],
      3
    ]
  ])("finds %s", async (_, results, spare) => {
    expect(await spareAfter(...results)).toBe(spare)
  })

  it("finds more for all that was not marked when the claim got fewer than it may", async () => {
    const { limits } = await claimWith(4, [{ found: "abcd", marked: "b" }])
    expect(limits[1]!.spare).toBe(6)
  })
})

it("claims as many rows as are free, in order and each once, whatever others take between a search and its mark", async () => {
  const world = fc.record({
    due: fc.nat(20),
    limit: fc.integer({ min: 1, max: 8 }),
    // Which rows others take, for each search: the positions of rows among those that are found.
    taken: fc.array(fc.uniqueArray(fc.nat(9), { maxLength: 3 }), { maxLength: 3 })
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ due, limit, taken }) => {
      const free = new Set(letters.slice(0, due))
      let searches = 0
      const claimed = await makeClaimRows(usable)<Row>(limit, signal, ({ wanted, spare, passedOver }) => {
        const found = [...free].filter((id) => !passedOver.includes(id)).slice(0, wanted + spare)
        for (const place of taken[searches++] ?? []) free.delete(found[place] ?? "")
        const marked = found.filter((id) => free.has(id)).slice(0, wanted)
        for (const id of marked) free.delete(id)
        return Promise.resolve({
          candidates: found.map(candidate),
          rows: marked.toReversed().map(row),
          allowed: wanted
        })
      })
      const ids = claimed.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted())
      expect(ids.length).toBeLessThanOrEqual(limit)
      // Nothing that a search passed over is free: others have taken it.
      if (ids.length < limit) expect([...free]).toEqual([])
    })
  )
})
