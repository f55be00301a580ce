/**
 * Sends within an open transaction of the product, when the store can join it. Source: decision 0056.
 */
import { Context, Effect, Exit, Layer, Scheduler } from "effect"
import { makeNoDispatcherWarning } from "../../internal/message/noDispatcherWarning.ts"
import type { JoinedTransaction, MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore, TransactionRefused } from "../../port/MailStore.ts"
import { WakeUp } from "../delivery/WakeUp.ts"
import { Sending } from "./Sending.ts"

/** The call that is under way. After its end, no fiber of it may write. */
interface Call {
  readonly store: MailStoreShape
  hasEnded: boolean
}

/** The transaction that the effects of a call use. */
const CurrentCall = Context.Reference<Call | null>("@mailkeep/core/service/CurrentCall", { defaultValue: () => null })

const inCall = <A, E>(use: (store: MailStoreShape) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(CurrentCall, (call) =>
    call === null || call.hasEnded ? Effect.die(new Error("A call was used after its transaction.")) : use(call.store)
  )

/** The store of the transaction that the calling effect has joined. */
const storeOfCall = (store: MailStoreShape): MailStoreShape => ({
  ...store,
  commit: (changes) => inCall((joined) => joined.commit(changes)),
  read: (queries) => inCall((joined) => joined.read(queries))
})

/** Runs all fibers of a call in one step. They share one queue, because `flush` would not reach the queues of child fibers. */
const makeStepScheduler = () => {
  const dispatcher = new Scheduler.MixedScheduler("sync").makeDispatcher()
  const scheduler: Scheduler.Scheduler = {
    executionMode: "sync",
    shouldYield: () => false,
    makeDispatcher: () => dispatcher
  }
  return { scheduler, flush: () => dispatcher.flush() }
}

type SendingShape = Sending["Service"]

/**
 * Sends within an open transaction of the product. The mail commits or rolls back with the other writes of the transaction.
 *
 * @example
 * ```ts
 * import { TransactionSending } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * const message = { from: "shop@acme.example", to: "ada@example.org", subject: "Your receipt", text: "Thank you." }
 *
 * // `connection` has an open transaction.
 * export const sendWithin = (connection: unknown) =>
 *   TransactionSending.use(({ within }) => within(connection, ({ send }) => send("prj_acme", message)))
 * ```
 */
export class TransactionSending extends Context.Service<
  TransactionSending,
  {
    /**
     * Runs `use` in the open transaction of the connection. A call that fails writes nothing, and the transaction stays open. Over SQLite, the call runs
     * in one step of this thread. Fails with `TransactionRefused` when the store cannot join the transaction, and over SQLite when the call would have
     * to wait. After the transaction has ended, the dispatcher and the event sender of this process wake up.
     */
    readonly within: <A, E>(
      connection: unknown,
      use: (sending: SendingShape) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | TransactionRefused | StoreUnavailable>
  }
>()("@mailkeep/core/service/TransactionSending") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    TransactionSending,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const store = yield* MailStore
      const wakeUp = yield* WakeUp
      const noDispatcherWarning = yield* makeNoDispatcherWarning(store, wakeUp.dispatcherHasStarted)
      // Nobody can see the mail before the product commits. So no send wakes a loop, and none starts the check for a dispatcher.
      const silent: WakeUp["Service"] = {
        ...wakeUp,
        deliveries: { ...wakeUp.deliveries, notify: Effect.void, notifyOf: () => Effect.void },
        dispatcherHasStarted: Effect.succeed(true)
      }
      const ports = Layer.merge(Layer.succeed(MailStore, storeOfCall(store)), Layer.succeed(WakeUp, silent))
      // Fresh, because the layer of the other sends would be used again.
      const sending = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(Sending.layer), ports)), Sending)

      /** Runs an effect to its end without waiting. Interrupts an effect that waits. */
      const runNow = <A, E>(effect: Effect.Effect<A, E>, call: Call): Effect.Effect<Exit.Exit<A, E> | null> =>
        Effect.map(Effect.context<never>(), (context) => {
          const { scheduler, flush } = makeStepScheduler()
          const inTransaction = Effect.provideService(effect, CurrentCall, call)
          const fiber = Effect.runForkWith(context)(inTransaction, { scheduler })
          flush()
          call.hasEnded = true
          const exit = fiber.pollUnsafe() ?? null
          if (exit === null) fiber.interruptUnsafe()
          return exit
        })

      /** Runs an effect to its end, however long it waits. */
      const runWaiting = <A, E>(effect: Effect.Effect<A, E>, call: Call): Effect.Effect<Exit.Exit<A, E>> =>
        Effect.ensuring(
          Effect.exit(Effect.provideService(effect, CurrentCall, call)),
          Effect.sync(() => {
            call.hasEnded = true
          })
        )

      const wake = Effect.andThen(
        Effect.andThen(wakeUp.deliveries.notify, wakeUp.events.notify),
        noDispatcherWarning.accepted
      )
      /** The connections whose open transaction has mail. */
      const withMail = new Set<unknown>()
      /** Wakes the loops when the transaction has ended: once, however many calls it has. */
      const wakeAfter = (connection: unknown, { transactionEnded }: JoinedTransaction): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (withMail.has(connection)) return Effect.void
          withMail.add(connection)
          const woken = Effect.andThen(
            Effect.ensuring(
              transactionEnded,
              Effect.sync(() => withMail.delete(connection))
            ),
            wake
          )
          return Effect.asVoid(Effect.forkIn(woken, scope, { startImmediately: true }))
        })

      type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

      const inJoined = <A, E>(
        connection: unknown,
        joined: JoinedTransaction,
        effect: Effect.Effect<A, E>,
        restore: Restore
      ): Effect.Effect<A, E | TransactionRefused | StoreUnavailable> =>
        Effect.gen(function* () {
          const call: Call = { store: joined.store, hasEnded: false }
          const exit = yield* joined.isAsynchronous === true ? runWaiting(restore(effect), call) : runNow(effect, call)
          const isKept = exit !== null && Exit.isSuccess(exit)
          yield* joined.end(isKept)
          if (isKept) yield* wakeAfter(connection, joined)
          return yield* exit ?? new TransactionRefused({ reason: "asynchronous", detail: mayNotWait })
        })

      return {
        // An interruption in the middle would leave the call open in the transaction.
        within: (connection, use) =>
          Effect.uninterruptibleMask((restore) =>
            store.joinTransaction === undefined
              ? Effect.fail(new TransactionRefused({ reason: "not_supported" }))
              : Effect.flatMap(store.joinTransaction(connection), (joined) => {
                  // A function that throws must end the call too.
                  const called = Effect.suspend(() => use(sending))
                  return inJoined(connection, joined, called, restore)
                })
          )
      }
    })
  )
}

const mayNotWait =
  "The call would have to wait inside the transaction. Give a plan that is known at once, and attachments with their content instead of a path."
