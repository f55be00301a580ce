/**
 * Sends the rows of the outbox, and removes each row after its send was accepted. Source: decision 0056.
 */
import type { SendRefusal, SendResult } from "@mailkeep/core"
import { InvalidArgument, Sending, StoreUnavailable } from "@mailkeep/core"
import { errorNameOf, makeLogLimit } from "@mailkeep/core/binding"
import { Cause, Clock, Duration, Effect, Exit } from "effect"
import type { OutboxReport, OutboxSource, StoredOutboxRow } from "./OutboxSource.ts"
import type { OutboxSend } from "./outboxRow.ts"
import { beforeIdsOf, readPayload } from "./outboxRow.ts"

/** The rows that one `take` returns. They are sent at the same time, so that their commits share a disk sync. */
const outboxRowsMax = 32

const pauseMillisMin = 1000
const pauseMillisMax = 60_000
/** How long the transaction of the product may take, from the id of its row to its commit. */
const newIdMillis = 10_000
/** With 1 s between two drains, a row that stays is tried each minute. */
const drainsBeforeWholeMax = 59
const reasonCharactersMax = 500

/** At most one log line for each class of error in this time. */
const bugLogMillis = 10_000

/** What became of a row. `left`: the send can succeed later. */
type RowResult =
  | { readonly accepted: string }
  | { readonly refused: string; readonly reason: string }
  | { readonly left: string }

/**
 * Whether the send can be accepted in its other form, or was: its scheduled time has passed, or its idempotency key was used for another send. A time of
 * expiry before the scheduled time is the mistake of the product in every form.
 */
const mayPassInOtherForm = (failure: SendRefusal | StoreUnavailable): boolean =>
  failure instanceof InvalidArgument &&
  failure.issues.some(
    ({ code, path }) => code === "idempotency_key_reused" || (code === "not_in_future" && path[0] === "scheduledAt")
  )

type SendingShape = Sending["Service"]

/**
 * Sends one row. A message whose scheduled time has passed in the outbox is sent now. An earlier drain may have sent it in either form, so each form
 * is tried: only one of them was accepted under the idempotency key.
 */
const sendRow = (
  sending: SendingShape,
  id: string,
  { projectId, message, options }: OutboxSend
): Effect.Effect<SendResult, SendRefusal | StoreUnavailable> => {
  const withKey = { ...options, idempotencyKey: options.idempotencyKey ?? id }
  const { scheduledAt, ...immediate } = message
  const send = sending.send(projectId, message, withKey)
  if (scheduledAt === undefined || scheduledAt === null) return send
  return Effect.catch(send, (failure) =>
    mayPassInOtherForm(failure)
      ? Effect.mapError(sending.send(projectId, immediate, withKey), (second) =>
          mayPassInOtherForm(second) ? failure : second
        )
      : Effect.fail(failure)
  )
}

const refusedWith = (refused: string, reason: string): RowResult => ({
  refused,
  reason: reason.slice(0, reasonCharactersMax)
})

/** Logs that a bug has left a row. Each drain can meet the same bug in every row. */
type LogBug = (error: string) => Effect.Effect<void>

const makeBugLog = (): LogBug => {
  const { logLine } = makeLogLimit(bugLogMillis)
  return (error) =>
    logLine(error, (counted) =>
      Effect.logWarning("A row of the outbox could not be sent because of a bug. It stays in the outbox.", {
        error,
        ...counted
      })
    )
}

/** Fails only when the store cannot take the row: then the drain ends. */
const resultOf = (
  sending: SendingShape,
  logBug: LogBug,
  { id, payload }: StoredOutboxRow
): Effect.Effect<RowResult, StoreUnavailable> => {
  const read = readPayload(payload)
  if (read === null) return Effect.succeed(refusedWith(id, "The payload was not made by outbox.row."))
  return Effect.matchCauseEffect(sendRow(sending, id, read), {
    onSuccess: (): Effect.Effect<RowResult, StoreUnavailable> => Effect.succeed({ accepted: id }),
    onFailure: (cause): Effect.Effect<RowResult, StoreUnavailable> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const failure = Cause.squash(cause)
      if (failure instanceof StoreUnavailable) return Effect.fail(failure)
      if (!cause.reasons.some(Cause.isFailReason)) return Effect.as(logBug(errorNameOf(failure)), { left: id })
      const { kind, message, isRetryable } = failure as SendRefusal
      return Effect.succeed(isRetryable ? { left: id } : refusedWith(id, `${kind}: ${message}`))
    }
  })
}

/** Calls a function of the product. A rejection is a failure with the same error. */
const called = <A>(call: () => A | PromiseLike<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: async () => call(), catch: (cause) => cause })

/** The function `take` returned something else than rows. The text contains nothing of them. */
class NotRows extends TypeError {
  override readonly name = "TypeError"
  override readonly message =
    "outbox.take must return a list of the rows after the given id, each with the text id and with payload."
}

const isRow = (row: unknown): row is StoredOutboxRow =>
  typeof row === "object" && row !== null && "id" in row && typeof row.id === "string" && "payload" in row

/**
 * Fails when the rows are not those of the table, such as the whole result of a client. A row without its id would be sent again by each drain: it has
 * no idempotency key, and cannot be removed. Rows that do not continue after `after` would never end.
 */
const checkedRows = (rows: unknown, after: string): Effect.Effect<ReadonlyArray<StoredOutboxRow>, NotRows> =>
  Array.isArray(rows) && rows.every(isRow) && (rows.length === 0 || rows.at(-1)?.id !== after)
    ? Effect.succeed(rows)
    : Effect.fail(new NotRows())

/** What a drain did, and the id of the last row that it left; empty without one. */
interface Drained {
  readonly report: OutboxReport
  readonly lastLeft: string
}

/** Sends the rows, and removes or marks them. Fails after that, if the store did not take a row. */
const sendRows = (
  rows: ReadonlyArray<StoredOutboxRow>,
  { remove, refuse }: OutboxSource,
  logBug: LogBug
): Effect.Effect<Drained, unknown, Sending> =>
  Effect.gen(function* () {
    const sending = yield* Sending
    const exits = yield* Effect.forEach(rows, (row) => Effect.exit(resultOf(sending, logBug, row)), {
      concurrency: "unbounded"
    })
    const results = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
    const accepted = results.flatMap((result) => ("accepted" in result ? [result.accepted] : []))
    const refused = results.flatMap((result) => ("refused" in result ? [result] : []))
    const left = results.flatMap((result) => ("left" in result ? [result.left] : []))
    if (accepted.length > 0) yield* called(() => remove(accepted))
    for (const one of refused) yield* called(() => refuse(one.refused, one.reason))
    const failed = exits.find(Exit.isFailure)
    if (failed !== undefined) return yield* Effect.failCause(failed.cause)
    return {
      report: { accepted: accepted.length, refused: refused.length, left: left.length },
      lastLeft: left.at(-1) ?? ""
    }
  })

/** Sends all rows after `start` once, in pages. */
const drainAfter = (start: string, source: OutboxSource, logBug: LogBug): Effect.Effect<Drained, unknown, Sending> =>
  Effect.gen(function* () {
    const { take } = source
    const total = { accepted: 0, refused: 0, left: 0 }
    let lastLeft = ""
    let after: string | undefined = start
    while (after !== undefined) {
      const from: string = after
      const rows = yield* checkedRows(yield* called(() => take(from, outboxRowsMax)), from)
      const page = yield* sendRows(rows, source, logBug)
      total.accepted += page.report.accepted
      total.refused += page.report.refused
      total.left += page.report.left
      if (page.lastLeft !== "") lastLeft = page.lastLeft
      after = rows.length < outboxRowsMax ? undefined : rows.at(-1)!.id
    }
    return { report: total, lastLeft }
  })

/** Sends all rows once, in pages. Fails with the error of the product's function, or with `StoreUnavailable`; the rows then stay. */
export const drainOutbox = (source: OutboxSource): Effect.Effect<OutboxReport, unknown, Sending> =>
  Effect.map(drainAfter("", source, makeBugLog()), ({ report }) => report)

/**
 * Says where each drain begins: behind the rows that the drains before have left, and more and more seldom at the lowest id. A row above a limit of the plan
 * can stay for a day. A transaction of the product can commit a row behind which other rows were read, so each drain has all new ids.
 */
const makeDrainStarts = () => {
  let lastLeft = ""
  let wholeDrains = 0
  let drainsBeforeWhole = 0
  return {
    start: (now: number): string => {
      const newIds = beforeIdsOf(now - newIdMillis)
      return drainsBeforeWhole > 0 ? (lastLeft < newIds ? lastLeft : newIds) : ""
    },
    record: ({ lastLeft: left }: Drained): void => {
      if (drainsBeforeWhole > 0) {
        drainsBeforeWhole--
        if (left !== "") lastLeft = left
        return
      }
      lastLeft = left
      wholeDrains = left === "" ? 0 : wholeDrains + 1
      drainsBeforeWhole = Math.min(drainsBeforeWholeMax, 2 ** Math.min(wholeDrains, 10) - 1)
    }
  }
}

/**
 * Drains the outbox each second, until interrupted. After a failure, waits up to 1 min and logs one warning until a drain succeeds. Tries a row that stays
 * each second at first, and later once in a minute.
 */
export const drainForever = (source: OutboxSource): Effect.Effect<never, never, Sending> =>
  Effect.gen(function* () {
    const logBug = makeBugLog()
    const starts = makeDrainStarts()
    let failures = 0
    while (true) {
      const start = starts.start(yield* Clock.currentTimeMillis)
      const exit = yield* Effect.exit(drainAfter(start, source, logBug))
      if (Exit.isSuccess(exit)) {
        failures = 0
        starts.record(exit.value)
      } else if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
      else if (failures++ === 0) {
        const error = Cause.squash(exit.cause)
        yield* Effect.logWarning("The outbox cannot be drained. Its mail waits.", {
          error: errorNameOf(error),
          ...(error instanceof NotRows ? { reason: error.message } : {})
        })
      }
      yield* Effect.sleep(Duration.millis(Math.min(pauseMillisMax, pauseMillisMin * 2 ** Math.min(failures, 10))))
    }
  })
