/**
 * Faults of the environment: a full disk, a missing store file, a clock that jumps a day, a relay that never answers. Each gives a typed
 * failure or is recovered from, and no acknowledged send is lost.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SendInput } from "@mailkeep/core"
import { dayMillis, hourMillis, minuteMillis } from "@mailkeep/core/adapter"
import { Dispatcher, Domains, formatInstant, StoreUnavailable } from "@mailkeep/core"
import { delivery, expectBalanced, withTestMail, send, sendOne, start, stores, tick } from "@mailkeep/test-support"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { drain } from "../src/drain.ts"
import { embeddedMail, filesIn, project, send as sendIn, sendBody } from "../src/embeddedMail.ts"
import { brokenInvariants } from "../src/fileInvariants.ts"
import { noRelayFaults } from "../src/RecordingTransport.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-surroundings-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ready = Effect.flatMap(Domains, (domains) => domains.create(project, { domain: "example.com", verified: true }))

const inFolder = <A, E>(
  test: Effect.Effect<A, E, Effect.Services<typeof ready> | Effect.Services<ReturnType<typeof sendIn>>>
) =>
  Effect.runPromise(
    Effect.andThen(ready, test).pipe(Effect.provide(embeddedMail(folder, noRelayFaults)), Effect.scoped)
  )

const orders = (count: number, html = ""): ReadonlyArray<{ readonly key: string; readonly body: SendInput }> =>
  Array.from({ length: count }, (_, n) => ({
    key: `k${n}`,
    body: sendBody({ to: `p${n}@example.org`, html: `x${html}` })
  }))

describe("a full disk", () => {
  it("refuses sends while the disk is full, keeps acknowledged sends, and accepts sends after space is freed", async (context) => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], { stdio: "ignore" })
    } catch {
      return context.skip("SKIPPED: this user may not mount a small file system")
    }
    try {
      const filler = join(folder, "filler")
      writeFileSync(filler, "x".repeat(600_000))
      const many = orders(200, "x".repeat(20_000))
      const deliveryIds: Array<string> = []
      await inFolder(
        Effect.gen(function* () {
          let refused = 0
          for (const { key, body } of many) {
            const answer = yield* Effect.result(sendIn(key, body))
            if (Result.isSuccess(answer)) deliveryIds.push(...answer.success.deliveryIds)
            else {
              expect(answer.failure).toBeInstanceOf(StoreUnavailable)
              if (++refused === 3) break
            }
          }
          expect(refused).toBe(3)
          expect(deliveryIds.length).toBeGreaterThan(5)
          rmSync(filler)
          for (const { key, body } of many.slice(0, deliveryIds.length + 1)) yield* sendIn(key, body)
        })
      )
      expect(brokenInvariants(filesIn(folder).store)).toEqual([])
    } finally {
      execFileSync("umount", ["-l", folder])
    }
  })
})

describe("a missing store file", () => {
  it("acknowledges no send while the store file is missing, and loses no acknowledged send after the file returns", async () => {
    const { store } = filesIn(folder)
    const [first, second, third] = orders(3)
    await inFolder(
      Effect.gen(function* () {
        yield* sendIn(first!.key, first!.body)
        renameSync(store, `${store}.away`)
        const failure = yield* Effect.flip(sendIn(second!.key, second!.body))
        expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable" })
        renameSync(`${store}.away`, store)
        const { replayed } = yield* sendIn(first!.key, first!.body)
        expect(replayed).toBe(true)
        yield* sendIn(third!.key, third!.body)
      })
    )
    await drain(folder, Date.now(), [first!, second!, third!])
    expect(brokenInvariants(store)).toEqual([])
  })
})

describe.each(stores)("a clock that jumps, with the $name store", (store) => {
  it("sends each delivery once when the clock jumps a day ahead: early if due that day, otherwise on time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const at = (hours: number) => ({ scheduledAt: formatInstant(start + hours * hourMillis) })
        const soon = yield* send("soon", at(2))
        const later = yield* send("later", at(30))
        yield* TestClock.setTime(start + dayMillis)
        yield* tick
        yield* TestClock.setTime(start + minuteMillis)
        yield* tick
        yield* tick
        expect(yield* delivery(soon.deliveryIds[0]!)).toMatchObject({ status: "delivered", attemptCount: 1 })
        expect(yield* delivery(later.deliveryIds[0]!)).toMatchObject({ status: "scheduled", attemptCount: 0 })
        yield* TestClock.setTime(start + 30 * hourMillis)
        yield* tick
        expect(yield* delivery(later.deliveryIds[0]!)).toMatchObject({ status: "delivered", attemptCount: 1 })
        yield* expectBalanced
      })
    ))

  it("sends a queued delivery once and at once after the clock was set a day back", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* TestClock.setTime(start - dayMillis)
        const { deliveryIds } = yield* send("new", { to: "bob@example.org" })
        yield* tick
        expect((yield* delivery(id)).status).toBe("delivered")
        expect((yield* delivery(deliveryIds[0]!)).status).toBe("delivered")
        yield* TestClock.setTime(start)
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", attemptCount: 1 })
        yield* expectBalanced
      })
    ))
})

describe.each(stores)("a relay that never answers, with the $name store", (store) => {
  it("ends a hand-off without an answer at its deadline, retries it, and sends other deliveries meanwhile", () =>
    withTestMail(store, {
      dispatcher: { concurrency: 2 },
      stub: { script: [{ recipient: "hangs@example.org", acts: [{ act: "hang" }, { act: "deliver" }] }] }
    })(
      Effect.gen(function* () {
        const hanging = yield* send("hangs", { to: "hangs@example.org" })
        const running = yield* Effect.forkChild((yield* Dispatcher).run, { startImmediately: true })
        const other = yield* send("other")
        const until = (id: string, status: string) =>
          Effect.gen(function* () {
            while ((yield* delivery(id)).status !== status) {
              yield* TestClock.adjust("10 seconds")
              yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
            }
          })
        yield* until(other.deliveryIds[0]!, "delivered")
        expect((yield* delivery(hanging.deliveryIds[0]!)).status).toBe("sending")
        yield* until(hanging.deliveryIds[0]!, "delivered")
        expect(yield* delivery(hanging.deliveryIds[0]!)).toMatchObject({ attemptCount: 2, ambiguousAttempts: 0 })
        yield* Fiber.interrupt(running)
        yield* expectBalanced
      })
    ))
})
