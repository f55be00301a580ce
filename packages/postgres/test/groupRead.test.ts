import type { Query } from "@mailkeep/core/adapter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeGroupRead } from "../src/internal/read/groupRead.ts"
import { markOfConnecting, markOfDriver, noFreeConnection } from "../src/internal/sqlStates.ts"

type Queries = ReadonlyArray<Query>

const message = (id: string, projectId = "prj_1") => ({ _tag: "Message", projectId, id }) as Query
const nextDue: Query = { _tag: "NextDue", worker: "w", now: 0 }
const lost = markOfDriver(Object.assign(new Error("lost"), { code: "ECONNRESET" })) as Error
const noConnection = markOfConnecting(new Error(noFreeConnection)) as Error
const refused = Object.assign(new Error("refused"), { code: "22003" })
const tooLarge = markOfDriver(Object.assign(new Error("too large"), { code: "22012" })) as Error
const damaged = markOfDriver(Object.assign(new Error("damaged"), { code: "XX001" })) as Error

/** A server whose statements end when the test says so. The answer of a query is its text. */
const makeServer = () => {
  const statements: Array<{
    readonly queries: Queries
    readonly isBounded: boolean
    readonly end: (failure?: Error) => void
  }> = []
  const answerAll = (queries: Queries, bodyBytesMax?: number) =>
    new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
      const end = (failure?: Error) =>
        failure === undefined ? resolve(queries.map((query) => JSON.stringify(query))) : reject(failure)
      statements.push({ queries, isBounded: bodyBytesMax !== undefined, end })
    })
  return {
    read: makeGroupRead(answerAll),
    statements,
    sizes: () => statements.map(({ queries }) => queries.length)
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("a read in a group", () => {
  it("answers the lookups of one project that begin together with one statement", async () => {
    const { read, statements, sizes } = makeServer()
    const project = { _tag: "Project", id: "prj_1" } as Query
    const answers = [read([message("a"), message("b")]), read([project]), read([message("a")])]
    await turn()
    expect(sizes()).toEqual([4])
    statements[0]!.end()
    const text = (id: string) => JSON.stringify(message(id))
    expect(await Promise.all(answers)).toEqual([[text("a"), text("b")], [JSON.stringify(project)], [text("a")]])
  })

  it("has at most 2 statements of a project under way, and then sends those that wait together", async () => {
    const { read, statements, sizes } = makeServer()
    for (const id of ["a", "b", "c", "d", "e"]) {
      void read([message(id)])
      await turn()
    }
    expect(sizes()).toEqual([1, 1])
    statements[0]!.end()
    await turn()
    expect(sizes()).toEqual([1, 1, 3])
  })

  it("sends at most 32 reads in one statement", async () => {
    const { read, sizes } = makeServer()
    for (let n = 0; n < 80; n++) void read([message(`m${n}`)])
    await turn()
    expect(sizes()).toEqual([32, 32])
  })

  it("sends a read of another project at once", async () => {
    const { read, statements } = makeServer()
    for (let n = 0; n < 3; n++) {
      void read([message(`m${n}`)])
      await turn()
    }
    const queries = [message("z", "prj_2")]
    void read(queries)
    await turn()
    expect(statements.slice(2).map((one) => one.queries)).toEqual([queries])
  })

  it.each<[string, Queries]>([
    ["of two projects", [message("z", "prj_2"), message("a")]],
    ["that is a page of the project", [{ _tag: "Events", projectId: "prj_1", after: null, limit: 1 } as Query]],
    ["that is no lookup", [nextDue]],
    ["with a query that is no lookup", [message("a"), nextDue]],
    ["of a record in any project", [{ _tag: "DeliveryById", id: "del_1" } as Query, message("a")]]
  ])("sends a read %s at once and alone", async (_, queries) => {
    const { read, statements } = makeServer()
    for (let n = 0; n < 3; n++) {
      void read([message(`m${n}`)])
      await turn()
    }
    for (let n = 0; n < 3; n++) void read(queries)
    await turn()
    expect(statements.slice(2).map((one) => one.queries)).toEqual([queries, queries, queries])
  })

  it.each([
    ["whose value the server refuses", refused],
    ["of a damaged page", damaged]
  ])("fails only the read %s", async (_, failure) => {
    const { read, statements, sizes } = makeServer()
    const results = Promise.allSettled([read([message("a")]), read([message("b")])])
    await turn()
    statements[0]!.end(failure)
    await turn()
    expect(sizes()).toEqual([2, 1, 1])
    statements[1]!.end()
    statements[2]!.end(failure)
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
  })

  it("divides a group whose messages are too large together, and answers its parts one after the other", async () => {
    const { read, statements } = makeServer()
    const ids = ["a", "b", "c", "d", "e"]
    const results = Promise.allSettled(ids.map((id) => read([message(id)])))
    for (const failure of [tooLarge, undefined, tooLarge, tooLarge, undefined]) {
      await turn()
      statements.at(-1)!.end(failure)
    }
    await turn()
    expect(statements.map(({ queries, isBounded }) => [queries.length, isBounded])).toEqual([
      [5, true],
      [2, true],
      [3, true],
      [1, false],
      [2, true]
    ])
    expect((await results).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled"
    ])
  })

  it.each([
    ["of a lost connection, which their callers repeat", lost],
    ["that get no connection, because each alone would need one", noConnection]
  ])("fails all reads %s", async (_, failure) => {
    const { read, statements, sizes } = makeServer()
    const results = Promise.allSettled([read([message("a")]), read([message("b")])])
    await turn()
    statements[0]!.end(failure)
    await turn()
    statements[1]?.end()
    statements[2]?.end()
    expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"])
    expect(sizes()).toEqual([2])
  })

  it("gives each caller the answers of its own queries, in any order of reads and ends", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }), fc.constant("end" as const)), {
          maxLength: 60
        }),
        async (steps) => {
          const { read, statements } = makeServer()
          const results: Array<Promise<void>> = []
          let ended = 0
          const endNext = async () => {
            await turn()
            statements[ended++]?.end()
            ended = Math.min(ended, statements.length)
          }
          for (const step of steps) {
            if (step === "end") await endNext()
            else {
              const queries = step.map((n) => message(`m${n}`, `prj_${step[0]! % 2}`))
              results.push(
                read(queries).then((answers) => expect(answers).toEqual(queries.map((query) => JSON.stringify(query))))
              )
            }
          }
          do await endNext()
          while (ended < statements.length)
          await Promise.all(results)
        }
      ),
      { numRuns: 50 }
    ))
})
