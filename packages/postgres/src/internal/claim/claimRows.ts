/**
 * Claims rows until the claim has as many as it may take, or finds no more. Other workers can take rows between a search and its mark. Source: decision 0073.
 */
import { isRepeatable } from "../sqlStates.ts"

/** A row as a search found it. */
export interface Candidate {
  readonly projectId: string
  readonly id: string
  readonly dueAt: number | null
  readonly fencingToken: number
}

/** What one search found, and which of it is marked. */
export interface Searched<R> {
  /** What the search found, in the order in which it is taken. */
  readonly candidates: ReadonlyArray<Candidate>
  readonly rows: ReadonlyArray<R>
  /** At most so many rows could be marked. */
  readonly allowed: number
}

/** Which rows a search finds and marks. */
export interface SearchLimits<R> {
  /** At most so many rows are marked. */
  readonly wanted: number
  /** So many more rows are found. */
  readonly spare: number
  /** The ids that are not found again. */
  readonly passedOver: ReadonlyArray<string>
  /** What the claim has marked already. */
  readonly claimed: ReadonlyArray<R>
}

/** So often the claim searches when other workers have taken rows that it found. */
const searchesMax = 5

/** So many more rows than it needs does a search find at the most. */
const spareMax = 64

const keyOf = ({ projectId, id }: Pick<Candidate, "projectId" | "id">): string => `${projectId}/${id}`

/** The number of rows that a claim passed over, because other workers have taken them. */
const takenByOthers = (
  candidates: ReadonlyArray<Candidate>,
  isMarked: (one: Candidate) => boolean,
  allowed: number
): number => {
  const isFull = candidates.filter(isMarked).length === allowed
  const looked = isFull ? candidates.slice(0, candidates.findLastIndex(isMarked)) : candidates
  return looked.filter((one) => !isMarked(one)).length
}

/**
 * Returns a function that claims up to `limit` rows, in the order of the searches. A search can also mark no row because this program cannot use the
 * tables. `checkVersion` then fails. After `signal` is aborted, no further search begins: a worker that has ended would get rows and a new lease. A search
 * that was lost can have marked rows, so the claim fails with it, and the caller changes the id of the worker.
 */
export const makeClaimRows = (checkVersion: () => Promise<void>) => {
  /** How many rows the next search finds beyond its limit. Depends on how many rows others took meanwhile. */
  let spare = 0

  return async <R extends Pick<Candidate, "projectId" | "id">>(
    limit: number,
    signal: AbortSignal,
    searchAndMark: (limits: SearchLimits<R>) => Promise<Searched<R>>
  ): Promise<ReadonlyArray<R>> => {
    const claimed: Array<R> = []
    const passedOver: Array<string> = []
    for (let searches = 0; searches < searchesMax && !signal.aborted; searches++) {
      try {
        const wanted = limit - claimed.length
        const { candidates, rows, allowed } = await searchAndMark({ wanted, spare, passedOver, claimed })
        if (candidates.length === 0) break
        if (rows.length === 0) await checkVersion()
        const marked = new Map(rows.map((row) => [keyOf(row), row]))
        claimed.push(...candidates.flatMap((one) => marked.get(keyOf(one)) ?? []))
        const taken = takenByOthers(candidates, (one) => marked.has(keyOf(one)), allowed)
        spare = taken === 0 ? spare >> 1 : Math.min(spareMax, Math.max(spare, 2 * taken))
        if (marked.size === candidates.length || marked.size === allowed) break
        passedOver.push(...candidates.map(({ id }) => id))
      } catch (cause) {
        // The server has undone this search, and the rows of the earlier ones belong to the worker already.
        if (claimed.length > 0 && isRepeatable(cause)) break
        throw cause
      }
    }
    return claimed
  }
}
