/**
 * Sends the messages of a batch at the same time, so that their commits share a disk sync. Bounds how many are under way in this process.
 * Source: decision 0048.
 */
import type { Scope } from "effect"
import { Effect, Latch, Result, Semaphore } from "effect"
import type { SendRefusal, SendResult } from "../../decide/message/acceptSend.ts"
import type { Principal } from "../../domain/access/ApiKey.ts"
import {
  batchBytesMax,
  batchItemBytes,
  batchItemKey,
  batchItemsMax,
  batchTooLarge,
  inBatchItem,
  parseBatch
} from "../../domain/message/SendBatch.ts"
import type { ValidSendOptions } from "../../domain/message/SendOptions.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { issue } from "../../domain/value/Issue.ts"
import { StoreUnavailable } from "../../port/MailStore.ts"
import { validated } from "../validated.ts"

type ItemFailure = SendRefusal | StoreUnavailable
type ItemResult = Result.Result<SendResult, ItemFailure>

/** What a batch does for one message. */
export interface BatchSendingDeps {
  /** Reads the files that the input gives by their path. */
  readonly withFiles: (
    principal: Principal,
    input: unknown
  ) => Effect.Effect<unknown, InvalidArgument | StoreUnavailable>
  /** Validates and accepts one message. */
  readonly accept: (
    principal: Principal,
    input: unknown,
    options: ValidSendOptions,
    idempotencyKey: string | null
  ) => Effect.Effect<SendResult, ItemFailure>
}

/**
 * The messages of all batches of a process that are under way at the same time. One whole batch, and far fewer than the commits that every store
 * takes at once, so that batches do not keep other sends out.
 */
const atOnce = batchItemsMax
/** A message counts once more for each of these bytes, so that the messages under way have a bounded size together. */
const weightBytes = 256 * 1024

const weightOf = (bytes: number): number => Math.min(atOnce, 1 + Math.floor(bytes / weightBytes))

/**
 * The places for the messages under way. A semaphore lets a message that needs few places pass one that needs more. Messages that need one place
 * therefore stop at the entrance while a larger one waits, and larger ones wait one after the other.
 */
const makePlaces = () => {
  const places = Semaphore.makeUnsafe(atOnce)
  const entrance = Latch.makeUnsafe(true)
  const turns = Semaphore.makeUnsafe(1)
  return {
    take: (weight: number): Effect.Effect<void, never, Scope.Scope> =>
      weight === 1
        ? Effect.andThen(entrance.await, places.takeScoped(1))
        : Effect.acquireUseRelease(
            entrance.close,
            () => places.takeScoped(weight),
            () => entrance.open
          ).pipe(turns.withPermit)
  }
}

interface Item {
  readonly input: Result.Result<unknown, ItemFailure>
  readonly bytes: number
}

/** Whether the caller must repeat the whole batch: the store took no message, and it refused at least one. */
const storeFailure = (results: ReadonlyArray<ItemResult>): StoreUnavailable | undefined => {
  if (results.some(Result.isSuccess)) return undefined
  const failures = results.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
  return failures.find((one): one is StoreUnavailable => one instanceof StoreUnavailable)
}

export const makeBatchSending = ({ withFiles, accept }: BatchSendingDeps) => {
  const places = makePlaces()

  /** Reads the files of one message after another. Stops when the batch has too many bytes. */
  const itemsOf = Effect.fnUntraced(function* (principal: Principal, inputs: ReadonlyArray<unknown>) {
    const items: Array<Item> = []
    let total = inputs.reduce<number>((sum, input) => sum + batchItemBytes(input), 0)
    if (total > batchBytesMax) return yield* batchTooLarge()
    for (const given of inputs) {
      const input = yield* Effect.result(withFiles(principal, given))
      if (Result.isFailure(input)) {
        items.push({ input, bytes: 0 })
        continue
      }
      const bytes = batchItemBytes(input.success)
      // The contents that were read replace the paths.
      total += bytes - batchItemBytes(given)
      if (total > batchBytesMax) return yield* batchTooLarge()
      items.push({ input, bytes })
    }
    return items
  })

  /** Fails with `InvalidArgument` when the list is wrong, and with `StoreUnavailable` when the store took no message and refused one. */
  return Effect.fnUntraced(function* (principal: Principal, inputs: unknown, options: ValidSendOptions) {
    const { idempotencyKey, shownRecipients } = options
    if (shownRecipients !== null)
      return yield* new InvalidArgument({
        argument: "options",
        issues: [issue(["shownRecipients"], "not_allowed_here", "is not allowed for a batch")]
      })
    const items = yield* itemsOf(principal, yield* validated(parseBatch, inputs))
    const results = yield* Effect.forEach(
      items,
      ({ input, bytes }, index): Effect.Effect<ItemResult> => {
        const key = idempotencyKey === null ? null : batchItemKey(idempotencyKey, index)
        return Effect.andThen(places.take(weightOf(bytes)), Effect.fromResult(input)).pipe(
          Effect.flatMap((whole) => accept(principal, whole, options, key)),
          Effect.scoped,
          Effect.mapError((failure) => inBatchItem(failure, index)),
          Effect.result
        )
      },
      { concurrency: "unbounded" }
    )
    const failure = storeFailure(results)
    return failure === undefined ? results : yield* failure
  })
}
