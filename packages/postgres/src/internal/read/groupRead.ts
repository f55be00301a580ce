/**
 * Collects the lookups of many callers, and answers those of one project with one statement. Without this, each of the hand-offs that begin
 * together costs the server a statement that it parses and plans.
 */
import type { Query } from "@mailkeep/core/adapter"
import { isConnectionLost, isOfConnecting, isTooLarge } from "../sqlStates.ts"
import { isLookup } from "./lookups.ts"

type Queries = ReadonlyArray<Query>
/** Fails as `isTooLarge` when the messages have more than `bodyBytesMax` bytes of bodies together. */
type AnswerAll = (queries: Queries, bodyBytesMax?: number) => Promise<ReadonlyArray<unknown>>

/** So many reads are answered together at most. */
const groupReadsMax = 32
/** The bodies of the messages of a group. The server sends nothing before it has made the whole answer, and must not be silent for long. */
const groupBytesMax = 8 * 1024 * 1024
/** While one group of a project is under way, another one may be sent. Later reads wait, and form larger groups. */
const groupsAtOnce = 2

interface Job {
  readonly queries: Queries
  readonly resolve: (answers: ReadonlyArray<unknown>) => void
  readonly reject: (cause: unknown) => void
}

/** The reads of one project. */
interface ProjectReads {
  waiting: Array<Job>
  underWay: number
}

/** The project of a read that has only lookups of one project. Any other read can be slow, so nothing waits for it. */
const projectOf = (queries: Queries): string | undefined => {
  let project: string | undefined
  for (const query of queries) {
    if (!isLookup(query)) return undefined
    const own = query._tag === "Project" ? query.id : "projectId" in query ? query.projectId : undefined
    if (own === undefined || (project !== undefined && own !== project)) return undefined
    project = own
  }
  return project
}

/** Returns a function that answers a read, alone or in a group. */
export const makeGroupRead = (answerAll: AnswerAll): AnswerAll => {
  const readsOf = new Map<string, ProjectReads>()

  const answerAlone = ({ queries, resolve, reject }: Job): Promise<void> => answerAll(queries).then(resolve, reject)

  const answerTogether = async (jobs: ReadonlyArray<Job>): Promise<void> => {
    const [first] = jobs as readonly [Job]
    if (jobs.length === 1) return answerAlone(first)
    try {
      const answers = await answerAll(
        jobs.flatMap(({ queries }) => queries),
        groupBytesMax
      )
      let from = 0
      for (const { queries, resolve } of jobs) resolve(answers.slice(from, (from += queries.length)))
    } catch (cause) {
      // Each caller repeats a read of a lost connection on another one. Without a free connection, reads that are sent alone would wait for more of them.
      if (isConnectionLost(cause) || isOfConnecting(cause)) return jobs.forEach(({ reject }) => reject(cause))
      const half = jobs.length >> 1
      if (isTooLarge(cause)) for (const part of [jobs.slice(0, half), jobs.slice(half)]) await answerTogether(part)
      // A value that the server refuses fails only the read that has it.
      else await Promise.all(jobs.map(answerAlone))
    }
  }

  const startGroups = (project: string, reads: ProjectReads): void => {
    while (reads.waiting.length > 0 && reads.underWay < groupsAtOnce) {
      const jobs = reads.waiting.slice(0, groupReadsMax)
      reads.waiting = reads.waiting.slice(groupReadsMax)
      void runGroup(project, reads, jobs)
    }
    if (reads.underWay === 0) readsOf.delete(project)
  }

  const runGroup = async (project: string, reads: ProjectReads, jobs: ReadonlyArray<Job>): Promise<void> => {
    reads.underWay++
    await answerTogether(jobs)
    reads.underWay--
    startGroups(project, reads)
  }

  const join = (project: string, job: Job): void => {
    const reads = readsOf.get(project) ?? { waiting: [], underWay: 0 }
    readsOf.set(project, reads)
    reads.waiting.push(job)
    // All fibers that are ready can join before the group is sent.
    queueMicrotask(() => startGroups(project, reads))
  }

  return (queries) => {
    const project = projectOf(queries)
    if (project === undefined) return answerAll(queries)
    return new Promise((resolve, reject) => join(project, { queries, resolve, reject }))
  }
}
