import type { Change } from "@mailkeep/core/adapter"
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { markOfDriver } from "../src/internal/sqlStates.ts"
import { makeCommitGroup } from "../src/internal/write/commitGroup.ts"
import type { Commit } from "../src/internal/write/commitTransactions.ts"

const put = (name: string): ReadonlyArray<Change> => [{ _tag: "PutSetting", name, value: "x" }]

/** Commits a group on a server that fails with a code in each transaction with the commit `bad`. Returns the reason of each, and the number of transactions. */
const commitWith = async (code: string, names: ReadonlyArray<string>) => {
  let transactions = 0
  const apply = async (commits: ReadonlyArray<Commit>): Promise<void> => {
    transactions++
    if (commits.flat().some((change) => change._tag === "PutSetting" && change.name === "bad"))
      throw markOfDriver(Object.assign(new Error("failed"), { code, severity: "ERROR" }))
  }
  const commitGroup = makeCommitGroup(
    {
      together: (commits) => apply(commits).then(() => []),
      alone: (commit) => apply([commit]).then(() => undefined)
    },
    () => {}
  )
  const exits = await Effect.runPromise(commitGroup(names.map(put)))
  const reasons = exits.map((exit) => {
    if (exit === undefined || Exit.isSuccess(exit)) return "applied"
    const failure = Exit.findErrorOption(exit)
    return failure._tag === "Some" && failure.value._tag === "StoreUnavailable" ? failure.value.reason : "defect"
  })
  return { reasons, transactions }
}

describe("a group of commits", () => {
  it.each([
    ["XX000", "unreachable"],
    ["XX001", "unreachable"],
    ["58030", "unreachable"],
    ["P0001", "unreachable"],
    ["22P05", "defect"]
  ])("fails only the commit that the server cannot apply, when its code is %s", async (code, reason) => {
    const { reasons } = await commitWith(code, ["a", "b", "bad", "c"])
    expect(reasons).toEqual(["applied", "applied", reason, "applied"])
  })

  it.each([
    ["53000", "overloaded"],
    ["53100", "full"],
    ["53400", "overloaded"],
    ["57P01", "unreachable"]
  ])("fails all commits at once when the server can apply none of them, with the code %s", async (code, reason) => {
    const { reasons, transactions } = await commitWith(code, ["a", "bad", "c"])
    expect([reasons, transactions]).toEqual([[reason, reason, reason], 1])
  })
})
