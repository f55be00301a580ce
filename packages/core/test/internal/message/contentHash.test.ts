import { createHash } from "node:crypto"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { Crypto } from "../../../src/index.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"
import { contentHash } from "../../../src/internal/message/contentHash.ts"

const chunkBytes = 256 * 1024

const run = <A>(use: (crypto: Crypto["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(Crypto, use), NodeCrypto.layer))

describe("contentHash", () => {
  it.each([0, 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes])(
    "is the SHA-256 of a content of %i bytes",
    async (length) => {
      const content = Uint8Array.from({ length }, (_, n) => n * 7919)
      expect(await run((crypto) => contentHash(crypto, content))).toBe(
        createHash("sha256").update(content).digest("hex")
      )
    }
  )

  it("lets other work run between the chunks of a large content", async () => {
    const content = new Uint8Array(8 * chunkBytes)
    const turnsDuring = await run((crypto) =>
      Effect.gen(function* () {
        const hashing = yield* Effect.forkChild(contentHash(crypto, content), { startImmediately: true })
        let turns = 0
        while (hashing.pollUnsafe() === undefined) {
          turns++
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        yield* Fiber.join(hashing)
        return turns
      })
    )
    expect(turnsDuring).toBeGreaterThanOrEqual(7)
  })
})
