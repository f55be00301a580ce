/**
 * One opened mail of a test with its clock and its transport. A reset makes a new one.
 */
import { DnsResolver, EventSink, StoreUnavailable } from "@mailkeep/core"
import { DnsFailure, Transport } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { Mail } from "mailkeep"
import { lazyMail, memory } from "mailkeep"
import type { CapturingTransport } from "./capturingTransport.ts"
import { makeCapturingTransport } from "./capturingTransport.ts"
import { nextTurn } from "./realTimers.ts"
import type { SettableClock } from "./settableClock.ts"
import { makeSettableClock } from "./settableClock.ts"
import { watchPromise } from "./watchedPromise.ts"
import { describeWaiting } from "./waitingMail.ts"
import type { Settling } from "./settling.ts"
import { makeSettling } from "./settling.ts"
import type { TestMailOptions, WebhookPost } from "./TestMail.ts"

/** A mail with the parts that a test controls. */
export interface Session extends Settling {
  readonly mail: Mail
  readonly clock: SettableClock
  readonly transport: CapturingTransport
  readonly posts: ReadonlyArray<WebhookPost>
  /** A line about the mail that waits for the clock, or an empty text. */
  readonly waiting: () => string
  /** Finishes the work that is due after a call of the mail, and resolves with the result of the call. */
  readonly finish: <A>(call: Promise<A>) => Promise<A>
  /** Waits for the calls under way, as `close` of every mail does, and closes the mail. */
  readonly close: () => Promise<void>
}

/** The calls under way. */
const makeUnderWay = () => {
  const calls = new Set<Promise<unknown>>()
  return {
    /** Over when no call is under way. */
    all: {
      get isOver() {
        return calls.size === 0
      }
    },
    /** Returns the promise for the caller. When the call rejects, and nobody waits for it, Node reports it as always. */
    add: <A>(call: Promise<A>): Promise<A> => {
      calls.add(call)
      return call.finally(() => calls.delete(call))
    }
  }
}

const isClosed = (cause: unknown): boolean => cause instanceof StoreUnavailable && cause.reason === "closed"

/** A hand-off that hangs keeps its place until its deadline, and must not hold up other mail. */
const handOffsAtOnceMax = 10_000

/** No name exists, so that no test asks a name server. */
const noDns = Layer.succeed(DnsResolver, {
  texts: () => Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" })),
  exchanges: () => Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" }))
})

/** Keeps the requests of webhooks, so that no test uses the network. */
const keepingSink = (posts: Array<WebhookPost>) =>
  Layer.succeed(EventSink, {
    capabilities: { carriesHeaders: true },
    send: ({ endpoint, headers, body }) =>
      Effect.sync(() => {
        posts.push({ url: endpoint, headers, body: new TextDecoder().decode(body) })
        return { _tag: "Accepted", status: 200 } as const
      })
  })

/** Opens nothing. The first call opens the mail. */
export const makeSession = (options: Omit<TestMailOptions, "now">, start: number): Session => {
  const clock = makeSettableClock(start)
  const transport = makeCapturingTransport(clock.now)
  const posts: Array<WebhookPost> = []
  const mail = lazyMail({
    ...options,
    dispatcher: {
      concurrency: handOffsAtOnceMax,
      concurrencyPerProject: handOffsAtOnceMax,
      ...options.dispatcher
    },
    store: memory(),
    transport: Layer.succeed(Transport, transport.shape),
    background: false,
    adapters: Layer.mergeAll(clock.layer, noDns, keepingSink(posts))
  })
  const settling = makeSettling({ runtime: () => mail.runtime, clock, transport })
  const underWay = makeUnderWay()
  const finish = async <A>(call: Promise<A>): Promise<A> => {
    const result = await call
    // The call has succeeded. Only the work after it ends with the mail.
    await settling.settle().catch((cause: unknown) => {
      if (!isClosed(cause)) throw cause
    })
    return result
  }
  const end = async (): Promise<void> => {
    if (!underWay.all.isOver) await settling.untilOver(underWay.all)
    settling.stop()
    const closing = mail.close()
    const watched = watchPromise(closing)
    // A shutdown waits for work by the clock, which nobody else moves.
    while (!watched.isOver) {
      const next = clock.nextWakeAt()
      if (next !== null) clock.moveTo(next)
      await nextTurn()
    }
    return closing
  }
  let ending: Promise<void> | undefined
  return {
    ...settling,
    settle: () => underWay.add(settling.settle()),
    advanceTo: (instant) => underWay.add(settling.advanceTo(instant)),
    finish: (call) => underWay.add(finish(call)),
    mail,
    clock,
    transport,
    posts,
    waiting: () => describeWaiting(mail.runtime, clock.now()),
    close: () => (ending ??= end())
  }
}
