/**
 * When a listener asks for its certificate again, and which one it uses. Time is moved by the test clock.
 */
import { renewedCertificate, testCertificate } from "@mailkeep/test-support/testCertificates"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate as immediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { ReadTls, TlsOptions } from "../../src/listener/certificate.ts"
import { openCertificate } from "../../src/listener/certificate.ts"

interface Line {
  readonly message: unknown
  readonly fields: unknown
}

/** Opens the certificate, and runs the test with the clock at 0 and the lines of the log. */
const withCertificate = <A>(
  tls: TlsOptions | ReadTls,
  use: (current: () => unknown, lines: ReadonlyArray<Line>) => Effect.Effect<A>
) => {
  const lines: Array<Line> = []
  const logger = Logger.make<unknown, void>(({ message: given }) => {
    const [message, fields] = given as ReadonlyArray<unknown>
    lines.push({ message, fields })
  })
  return Effect.flatMap(openCertificate(tls), (current) => use(current, lines)).pipe(
    Effect.scoped,
    Effect.provide([TestClock.layer(), Logger.layer([logger])]),
    Effect.runPromise
  )
}

/** Moves the clock in steps of 1 s, so that the promise of a function ends before the next one. */
const pass = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: seconds }),
    () => Effect.andThen(TestClock.adjust("1 second"), Effect.promise(immediate)),
    { discard: true }
  )

const failing =
  (code: string): ReadTls =>
  () => {
    throw Object.assign(new Error("secret text"), { code })
  }

const notUsable: ReadonlyArray<readonly [string, ReadTls, string | undefined]> = [
  ["throws", failing("ENOENT"), "ENOENT"],
  ["rejects", () => Promise.reject(new Error("secret text")), undefined],
  ["never answers", () => new Promise<never>(() => {}), "ETIMEDOUT"],
  ["returns nothing", (() => undefined) as never, undefined],
  ["returns text without a certificate", () => ({ cert: "x", key: "y" }), "ERR_OSSL_PEM_NO_START_LINE"],
  [
    "returns a key of another certificate",
    () => ({ cert: renewedCertificate.cert, key: testCertificate.key }),
    "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
  ]
]

const validUntil = "2126-10-29T15:17:52.000Z"

describe("openCertificate", () => {
  it("asks a function once a minute, and uses a renewed certificate from then on", async () => {
    let calls = 0
    let tls: TlsOptions = testCertificate
    const read = () => {
      calls++
      return Promise.resolve(tls)
    }
    const test = Effect.fnUntraced(function* (current: () => unknown, lines: ReadonlyArray<Line>) {
      const first = current()
      yield* pass(120)
      expect([calls, current() === first, lines]).toEqual([3, true, []])
      tls = renewedCertificate
      yield* pass(59)
      expect(current()).toBe(first)
      yield* pass(1)
      expect([calls, current() === first]).toEqual([4, false])
      expect(lines).toEqual([
        {
          message: "The listener uses the renewed certificate.",
          fields: { validUntil: "2126-11-05T03:24:39.000Z" }
        }
      ])
    })
    await withCertificate(read, test)
    expect(calls).toBe(4)
  })

  it.each(notUsable)(
    "keeps the last certificate when the function %s, and warns once an hour",
    async (_, later, code) => {
      let read: ReadTls = () => testCertificate
      const test = Effect.fnUntraced(function* (current: () => unknown, lines: ReadonlyArray<Line>) {
        const first = current()
        read = later
        yield* pass(1800)
        expect(current()).toBe(first)
        expect(lines).toEqual([
          {
            message: "The certificate cannot be renewed. The listener keeps the last one.",
            fields: { ...(code === undefined ? {} : { code }), validUntil }
          }
        ])
        yield* pass(2400)
        expect(lines).toHaveLength(2)
        read = () => renewedCertificate
        yield* pass(120)
        expect(current()).not.toBe(first)
      })
      await withCertificate(() => read(), test)
    }
  )

  it.each(notUsable)("fails when the function %s at the start", async (_, read, code) => {
    const failure = Effect.gen(function* () {
      const opening = yield* Effect.forkChild(Effect.flip(openCertificate(read)))
      yield* pass(10)
      return yield* Fiber.join(opening)
    })
    const { _tag, code: given } = await Effect.runPromise(
      failure.pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    )
    expect([_tag, given]).toEqual(["CertificateNotUsable", code ?? null])
  })
})
