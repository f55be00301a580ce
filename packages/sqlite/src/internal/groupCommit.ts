/**
 * Runs many writes in one transaction, each in its own savepoint. Answers each write after the one disk sync of the
 * transaction.
 */
import { recordMetric, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Database } from "better-sqlite3"
import type { Scope } from "effect"
import { Clock, Effect, Exit, Fiber, Latch } from "effect"
import { busySchedule } from "./connection.ts"
import { isBusy, reasonOf, unavailable } from "./sqliteFailure.ts"

/** The result of a write: a value, or a failure that undoes only this write. */
export type Written<A, E> = { readonly done: A } | { readonly undone: E }

export interface GroupCommit {
  /** Fails with `StoreUnavailable` at once when the queue is full. `octets` is the approximate size of the write. */
  readonly submit: <A, E>(write: () => Written<A, E>, octets: number) => Effect.Effect<A, E | StoreUnavailable>
  readonly counts: () => GroupCounts
}

/** Measurements of the commits of this process since the store was opened. */
interface GroupCounts {
  /** The number of transactions, each with one disk sync. */
  readonly groups: number
  /** The number of commits and claims in those transactions. */
  readonly writes: number
  /** How long groups have waited for other processes to release the write lock. */
  readonly lockedMillis: number
}

const groupWritesMax = 256
const groupOctetsMax = 8 * 1024 * 1024
const queueWritesMax = 8192
const queueOctetsMax = 64 * 1024 * 1024

interface Job {
  readonly write: () => Written<unknown, unknown>
  readonly octets: number
  readonly resume: (exit: Exit.Exit<unknown, unknown>) => void
}

/** Takes the next group from the queue. */
const takeGroup = (queue: Array<Job>): ReadonlyArray<Job> => {
  let octets = 0
  let count = 0
  while (
    count < queue.length &&
    count < groupWritesMax &&
    (count === 0 || octets + queue[count]!.octets <= groupOctetsMax)
  )
    octets += queue[count++]!.octets
  return queue.splice(0, count)
}

const nanosPerSecond = 1e9

/** Measures a group that was committed. */
const measureGroup = (writes: number, syncNanos: bigint): Effect.Effect<void> =>
  Effect.andThen(
    recordMetric("mailkeep_store_group_writes", {}, writes),
    recordMetric("mailkeep_store_sync_seconds", {}, Number(syncNanos) / nanosPerSecond)
  )

/** A log of this size means that a reader prevents its reuse. */
const logBytesWarned = 256 * 1024 * 1024

/** Logs a warning once when the write-ahead log has grown, and again only after the log has shrunk. */
const makeLogWatch = () => {
  let warned = false
  return (logBytes: number): Effect.Effect<void> => {
    if (logBytes <= logBytesWarned) {
      warned = false
      return Effect.void
    }
    if (warned) return Effect.void
    warned = true
    return Effect.logWarning(
      "The write-ahead log of the store has grown because another process reads an old state of the file. It shrinks when that read ends.",
      { logBytes }
    )
  }
}

/** `check` throws if the commit cannot be acknowledged, and otherwise returns the bytes of the write-ahead log. */
export const makeGroupCommit = (
  database: Database,
  check: () => number
): Effect.Effect<GroupCommit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const statement = (sql: string) => database.prepare<[]>(sql)
    const [begin, commit, rollback] = [statement("BEGIN IMMEDIATE"), statement("COMMIT"), statement("ROLLBACK")]
    const [savepoint, release, rollbackTo] = [
      statement("SAVEPOINT one"),
      statement("RELEASE one"),
      statement("ROLLBACK TO one")
    ]

    /**
     * Runs one write of the group. A bug in the write undoes only this write. A disk failure is thrown again and undoes
     * the whole group.
     */
    const runOne = ({ write }: Job): Exit.Exit<unknown, unknown> => {
      savepoint.run()
      try {
        const written = write()
        if ("undone" in written) rollbackTo.run()
        release.run()
        return "undone" in written ? Exit.fail(written.undone) : Exit.succeed(written.done)
      } catch (cause) {
        if (reasonOf(cause) !== undefined) throw cause
        rollbackTo.run()
        release.run()
        return Exit.die(cause)
      }
    }

    /** Commits the whole group in one transaction. When it throws, nothing of the group was kept, or the result is unknown. */
    const runGroup = (group: ReadonlyArray<Job>) => {
      begin.run()
      try {
        const exits = group.map(runOne)
        const startedNanos = clock.monotonicTimeNanosUnsafe()
        commit.run()
        const syncNanos = clock.monotonicTimeNanosUnsafe() - startedNanos
        return { exits, logBytes: check(), syncNanos }
      } catch (cause) {
        if (database.inTransaction) rollback.run()
        throw cause
      }
    }

    const queue: Array<Job> = []
    let queuedOctets = 0
    let closed = false
    let groups = 0
    let writes = 0
    let lockedMillis = 0
    const watchLog = makeLogWatch()
    const waiting = yield* Latch.make()

    const commitGroup = Effect.suspend(() => {
      const group = takeGroup(queue)
      for (const { octets } of group) queuedOctets -= octets
      let lockedSince: number | undefined
      return Effect.try({ try: () => runGroup(group), catch: (cause) => cause }).pipe(
        Effect.tapError((cause) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (isBusy(cause)) lockedSince ??= now
          })
        ),
        Effect.retry({ schedule: busySchedule, while: isBusy }),
        Effect.tap(({ logBytes, syncNanos }) =>
          Effect.andThen(watchLog(logBytes), measureGroup(group.length, syncNanos))
        ),
        Effect.match({
          onSuccess: ({ exits }) => {
            groups++
            writes += group.length
            group.forEach(({ resume }, index) => resume(exits[index]!))
          },
          onFailure: (cause) => {
            const exit = reasonOf(cause) === undefined ? Exit.die(cause) : Exit.fail(unavailable(cause))
            for (const { resume } of group) resume(exit)
          }
        }),
        Effect.andThen(Clock.currentTimeMillis),
        Effect.map((now) => {
          if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince)
        })
      )
    })

    const drain = Effect.whileLoop({
      while: () => queue.length > 0,
      body: () => Effect.andThen(commitGroup, Effect.yieldNow),
      step: () => {}
    })

    const loop = Effect.gen(function* () {
      while (true) {
        yield* waiting.await
        yield* waiting.close
        // Yields once, so that all ready fibers can submit before the group is cut.
        yield* Effect.yieldNow
        yield* drain
        if (closed && queue.length === 0) return
      }
    })

    yield* Effect.acquireRelease(Effect.forkDetach(loop), (fiber) =>
      Effect.suspend(() => {
        closed = true
        return Effect.andThen(waiting.open, Fiber.await(fiber))
      })
    )

    return {
      submit: <A, E>(write: () => Written<A, E>, octets: number) =>
        Effect.callback<A, E | StoreUnavailable>((resume) => {
          if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
          // A write that is larger than the queue may wait alone.
          if (queue.length >= queueWritesMax || (queue.length > 0 && queuedOctets + octets > queueOctetsMax))
            return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
          queuedOctets += octets
          queue.push({ write, octets, resume: resume as Job["resume"] })
          waiting.openUnsafe()
        }),
      counts: () => ({ groups, writes, lockedMillis })
    }
  })
