/**
 * Finds and marks deliveries in the order of `roundRobin`. Source: decisions 0043, 0073 and 0094.
 */
import type { Claim, Delivery, Lane, Rotation } from "@mailkeep/core/adapter"
import { claimKinds, roundRobin } from "@mailkeep/core/adapter/evaluation"
import type { Database } from "../database.ts"
import { markInOrder } from "../transactions.ts"
import type { VersionCheck } from "../tableVersion.ts"
import type { Searched, SearchLimits } from "./claimRows.ts"
import type { DueRow, Part } from "./claimStatements.ts"
import { claimStatements, markStatement } from "./claimStatements.ts"

/** A row of the search. What `row` contains depends on the part. */
interface FoundRow {
  readonly part: Part
  readonly row: unknown
}

/** The rotation of the next search: what the claim has marked is under way. */
const afterClaimed = (rotation: Rotation, claimed: ReadonlyArray<Delivery>): Rotation => {
  const last = claimed.at(-1)
  if (last === undefined) return rotation
  const counts = new Map(rotation.underWay.map(({ projectId, count }) => [projectId, count]))
  for (const { projectId } of claimed) counts.set(projectId, (counts.get(projectId) ?? 0) + 1)
  return {
    ...rotation,
    after: { projectId: last.projectId, bulk: last.bulk },
    underWay: [...counts].map(([projectId, count]) => ({ projectId, count }))
  }
}

const isSameLane = (one: Lane, other: Lane): boolean => one.projectId === other.projectId && one.bulk === other.bulk

/** Returns a function that finds deliveries for a claim, and marks them. */
export const makeClaimInOrder = (database: Database, schema: string, versionCheck: VersionCheck) => {
  const plain = claimStatements(schema, versionCheck, false)
  const setBack = claimStatements(schema, versionCheck, true)
  const markSql = markStatement(schema, versionCheck)

  return async (
    { kind, now, worker, leaseUntil, rotation: initialRotation }: Claim,
    { wanted, spare, passedOver, claimed }: SearchLimits<Delivery>
  ): Promise<Searched<Delivery>> => {
    const rotation = afterClaimed(initialRotation, claimed)
    const { after, perProject, underWay } = rotation
    const status = claimKinds[kind]
    const limit = wanted + spare
    const taken = (due: ReadonlyArray<DueRow>) => roundRobin(due, limit, rotation)
    const send = <Row extends object>(sql: string, ...values: ReadonlyArray<unknown>) =>
      markInOrder<Row>(database, sql, [now, ...values])

    const full = underWay.flatMap(({ projectId, count }) => (count >= perProject ? [projectId] : []))
    // Two lanes of each project: so many lanes belong to at least `limit` projects, and the first round takes one delivery of each. One more, because
    // both lanes of the project that was served last are among them.
    const finding = [limit, after?.projectId ?? "", full, 2 * limit + 1]
    const marking = [worker, leaseUntil, wanted, JSON.stringify(underWay), perProject]
    const search = async (sql: string) =>
      Map.groupBy(await send<FoundRow>(sql, status, passedOver, ...finding, ...marking), ({ part }) => part)

    const found = await search(plain.search)
    const isSetBack = found.has("setBack")
    const parts = isSetBack ? await search(setBack.search) : found
    const rowsOf = <Row = DueRow>(part: Part) => (parts.get(part) ?? []).map(({ row }) => row as Row)
    const [atOnce] = rowsOf<{ readonly allowed: number }>("atOnce")
    if (atOnce !== undefined) {
      // Rows that are due later can be marked in the place of those that others have taken.
      const candidates = roundRobin(rowsOf("due"), limit + 1, { ...rotation, perProject: limit + 1, underWay: [] })
      return { candidates, rows: rowsOf<Delivery>("marked"), allowed: atOnce.allowed }
    }

    const chosen = async (): Promise<ReadonlyArray<DueRow>> => {
      const firsts = rowsOf("first")
      if (firsts.length === 0) return taken(rowsOf("due"))
      const firstRound = taken(firsts)
      if (firstRound.length === limit) return firstRound
      const lanes = firsts.map(({ projectId, bulk }): Lane => ({ projectId, bulk }))
      const likely = rowsOf("likely")
      const isComplete = lanes.every((one) => likely.some((other) => isSameLane(one, other)))
      if (isComplete) return taken(likely)
      return taken(
        await send(isSetBack ? setBack.ofLanes : plain.ofLanes, status, passedOver, JSON.stringify(lanes), limit)
      )
    }
    const candidates = await chosen()
    if (candidates.length === 0) return { candidates, rows: [], allowed: wanted }
    const rows = candidates.map(({ projectId, id, dueAt, fencingToken }) => ({ projectId, id, dueAt, fencingToken }))
    return {
      candidates,
      rows: await send(markSql, JSON.stringify(rows), worker, leaseUntil, status, wanted),
      allowed: wanted
    }
  }
}
