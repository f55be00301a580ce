/**
 * Work that fails to commit is tried a bounded number of times.
 */
import { withTestMail, project, send, sendOne, stores, tick, tickOver } from "@mailkeep/test-support"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import type { SenderDomainRecord } from "../../../src/domain/domain-name/SenderDomain.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { deliveryState } from "../../../src/domain/delivery/Delivery.ts"
import { Domains, EventSender, MailStore, StoreUnavailable } from "../../../src/index.ts"

/** A store that refuses and counts the commits with a change of one tag. */
const refusing = (tag: Change["_tag"], failure: Conflict | StoreUnavailable) =>
  Effect.map(MailStore, (mailStore) => {
    let commits = 0
    const refusingStore: MailStoreShape = {
      ...mailStore,
      commit: (changes) =>
        Effect.suspend(() => {
          if (!changes.some(({ _tag }) => _tag === tag)) return mailStore.commit(changes)
          commits++
          return Effect.fail(failure)
        })
    }
    return { refusingStore: Layer.succeed(MailStore, refusingStore), commits: () => commits }
  })

const conflict = (change: Change["_tag"]) => new Conflict({ at: 0, change, reason: "NotFound" })

describe.each(stores)("bounded work, over $name", (store) => {
  it("fails as contended after 256 commits when events can never be distributed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k")
        yield* tick
        const { refusingStore, commits } = yield* refusing("DistributeEvent", conflict("DistributeEvent"))
        const relay = EventSender.layerWith().pipe(Layer.provide(refusingStore), Layer.fresh)
        const ticked = yield* Effect.flatMap(EventSender, ({ tick }) => tick).pipe(Effect.provide(relay), Effect.result)
        expect(Result.isFailure(ticked) && ticked.failure).toMatchObject({ reason: "contended" })
        expect(commits()).toBe(256)
      })
    ))

  it("checks a full batch of domains once a minute when no result can be written", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* (yield* Domains).create(project, { domain: "d.example.net" })
        const [first] = yield* mailStore.read([{ _tag: "Domain", projectId: project, domain: "d.example.net" }])
        // All with the key of the first, because each new key takes 0.1 s.
        const others = Array.from({ length: 59 }, (_, n): SenderDomainRecord => ({
          ...first!,
          id: `dom_${n}`,
          domain: `d${n}.example.net`
        }))
        yield* mailStore.commit(
          inCommitOrder(others.map((domain) => ({ _tag: "PutDomain", domain, replaces: null }) as const))
        )
        const { refusingStore, commits } = yield* refusing("PutDomain", new StoreUnavailable({ reason: "full" }))
        const checking = Domains.layerWith().pipe(Layer.provide(refusingStore), Layer.fresh)
        yield* TestClock.adjust("1 hour")
        const loop = yield* Effect.forkChild(Effect.flatMap(Domains, ({ run }) => run).pipe(Effect.provide(checking)))
        /** The number of commits when no more follow. */
        const settled = Effect.gen(function* () {
          let before = -1
          for (let quiet = 0; quiet < 20; quiet = commits() === before ? quiet + 1 : 0) {
            before = commits()
            if (before > 1000) break
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
            yield* TestClock.adjust("10 millis")
          }
          return commits()
        })
        const batch = 50
        expect(yield* settled).toBe(batch)
        yield* TestClock.adjust("58 seconds")
        expect(yield* settled).toBe(batch)
        yield* TestClock.adjust("2 seconds")
        expect(yield* settled).toBe(2 * batch)
        yield* Fiber.interrupt(loop)
      })
    ))

  it("claims a delivery without a message once per lease", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* sendOne
        const [sound] = yield* mailStore.read([{ _tag: "Delivery", projectId: project, id }])
        const broken = {
          ...sound!,
          ...deliveryState(sound!),
          id: "del_broken" as const,
          messageId: "msg_none" as const
        }
        yield* mailStore.commit([{ _tag: "InsertDelivery", delivery: broken }])
        let claims = 0
        const counted: MailStoreShape = {
          ...mailStore,
          claim: (claim) =>
            Effect.tap(mailStore.claim(claim), (rows) =>
              Effect.sync(() => {
                claims += rows.filter((row) => row.id === "del_broken").length
              })
            )
        }
        const loop = tickOver(counted)
        for (let n = 0; n < 50; n++) yield* loop
        // Each tick is a new dispatcher. The lease of the first one keeps the delivery from the others.
        expect(claims).toBe(1)
        for (let minute = 0; minute < 10; minute++) {
          yield* TestClock.adjust("1 minute")
          yield* loop
        }
        expect(claims).toBe(11)
      })
    ))
})
