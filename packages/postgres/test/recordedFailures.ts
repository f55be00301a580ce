/**
 * A pool that records the failures of its statements.
 */
import pg from "pg"

/** A pool, and the SQLSTATE codes that the server answered. */
export interface RecordedFailures {
  readonly pool: pg.Pool
  /** The codes in their order, without those of statements after a failure in the same transaction. */
  readonly codes: ReadonlyArray<string>
}

type Send = (...parameters: ReadonlyArray<unknown>) => unknown

const afterFailure = "25P02"

/** The lock timeout of the store is 5 s. A shorter one fails in the same way. */
const withShortLockTimeout = (text: string): string => text.replace(/lock_timeout = '5s'/, "lock_timeout = '100ms'")

interface PoolSettings extends pg.PoolConfig {
  /** Shortens the time after which a statement of the store no longer waits for a lock. */
  readonly shortLockTimeout?: boolean
}

export const recordFailures = ({ shortLockTimeout = false, ...config }: PoolSettings): RecordedFailures => {
  const codes: Array<string> = []
  const record = (cause: unknown) => {
    const { code } = cause as { readonly code?: string }
    if (code !== undefined && code !== afterFailure) codes.push(code)
  }
  class RecordingClient extends pg.Client {}
  const prototype = RecordingClient.prototype as unknown as { query: Send }
  const { query } = prototype
  prototype.query = function (this: unknown, sent, ...others) {
    const changed =
      shortLockTimeout && typeof sent === "object" && sent !== null && "text" in sent
        ? { ...sent, text: withShortLockTimeout(String(sent.text)) }
        : sent
    const result = query.call(this, changed, ...others)
    if (result instanceof Promise) result.catch(record)
    return result
  }
  return { pool: new pg.Pool({ ...config, Client: RecordingClient, pipeline: true }), codes }
}
