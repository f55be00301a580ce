/**
 * Hashes the content of a file chunk by chunk. Source: decision 0042.
 */
import { Effect } from "effect"
import { chunksOf } from "../../domain/message/attachmentContent.ts"
import type { Crypto } from "../../port/Crypto.ts"

/** SHA-256 of the content, in hexadecimal. Other work of the process runs between two chunks. */
export const contentHash = (
  crypto: Pick<Crypto["Service"], "startSha256">,
  content: Uint8Array
): Effect.Effect<string> =>
  Effect.gen(function* () {
    const hash = crypto.startSha256()
    for (const [n, chunk] of chunksOf(content).entries()) {
      if (n > 0) yield* Effect.yieldNow
      hash.update(chunk)
    }
    return hash.digest()
  })
