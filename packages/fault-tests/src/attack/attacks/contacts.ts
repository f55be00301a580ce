/**
 * Queries on 200,000 contacts that cannot use an index, and large segments.
 */
import type { Attack, AttackContext, AttackerProject } from "../Attack.ts"
import { paced } from "../Attack.ts"
import { exchange, json, requestBytes } from "../rawHttp.ts"

const ask = (context: AttackContext, project: AttackerProject, method: string, path: string, body?: Buffer) =>
  exchange(
    context.address,
    requestBytes({ method, path, apiKey: context.prepared.apiKeys[project] }, body),
    context.signal
  )

export const comparisonsMax = 98
const textsMax = 100

/** A filter of as many comparisons as one may have. It matches no contact. */
export const containsFilter = (): object => ({
  any: Array.from({ length: comparisonsMax }, (_, n) => ({
    field: n % 2 === 0 ? "first_name" : "last_name",
    op: "contains",
    value: `zq${n}`
  }))
})

/** A filter of so many comparisons, each with as many texts as one may have. It matches no contact. */
export const inFilter = (comparisons: number, textBytes = 1): object => ({
  any: Array.from({ length: comparisons }, (_, n) => ({
    field: n % 2 === 0 ? "email" : "user_id",
    op: "in",
    value: Array.from({ length: textsMax }, (_, at) => `zq${n}-${at}`.padEnd(textBytes, "z"))
  }))
})

const letters = ["e", "a", "st", "on", "z", "qx", "@", "1"]

/** Lists contacts filtered by a segment, alternately the first and a late page. */
const listSegment = (segment: "contains" | "in"): Attack["run"] => {
  return (context) =>
    paced({ everyMillis: 1000, atOnceMax: 4 }, context, (n) =>
      ask(
        context,
        "prj_contacts",
        "GET",
        `/emails/contacts?limit=1&page=${n % 2 === 0 ? 1 : 1000}&segmentId=${context.prepared.segments[segment]}`
      )
    )
}

/** The name of the attack that needs segments of maximum size. */
export const segmentListing = "listing 200 maximal segments"

export const contactAttacks: ReadonlyArray<Attack> = [
  {
    name: "segment of 98 contains",
    bound: "1 listing of 200,000 contacts per second, 4 at once",
    run: listSegment("contains")
  },
  {
    name: "segment of as many texts as a filter may have",
    bound: "1 listing of 200,000 contacts per second, 4 at once",
    run: listSegment("in")
  },
  {
    name: "searches of one and two letters",
    bound: "2 listings of 200,000 contacts per second, 4 at once",
    run: (context) =>
      paced({ everyMillis: 500, atOnceMax: 4 }, context, (n) =>
        ask(
          context,
          "prj_contacts",
          "GET",
          `/emails/contacts?limit=100&page=${n % 3 === 0 ? 1 : 500}&search=${encodeURIComponent(letters[n % letters.length]!)}`
        )
      )
  },
  {
    name: "filters of 4.8 MB",
    bound: "1 change of a segment in 2 s, 2 at once",
    run: (context) => {
      const body = json({ filter: inFilter(comparisonsMax, 490) })
      return paced({ everyMillis: 2000, atOnceMax: 2 }, context, () =>
        ask(context, "prj_contacts", "PATCH", `/emails/segments/${context.prepared.segments.changing}`, body)
      )
    }
  },
  {
    name: segmentListing,
    bound: "1 listing of one item per second, 4 at once",
    run: (context) =>
      paced({ everyMillis: 1000, atOnceMax: 4 }, context, (n) =>
        ask(context, "prj_segments", "GET", `/emails/segments?limit=1&page=${1 + (n % 200)}`)
      )
  }
]
