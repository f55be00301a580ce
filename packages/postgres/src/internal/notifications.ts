/**
 * Notifies other processes of new work, and receives their notifications, on a direct connection of its own. A notification is sent after its commit
 * and not in its transaction, because the server ends transactions with a notification one after the other. Source: decision 0074.
 */
import { createHash, randomUUID } from "node:crypto"
import { clearTimeout, setTimeout } from "node:timers"
import type { Change } from "@mailkeep/core/adapter"
import type { Latch, Scope } from "effect"
import { Effect, Schedule } from "effect"
import type { ClientConfig } from "pg"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { codeOf } from "./sqlStates.ts"
import { makeSilenceLimit, reachableOptions, silentMillisDefault } from "./silentServer.ts"

export interface Notifications {
  /** Notifies other processes if the changes make work due or append an event. */
  readonly send: (changes: ReadonlyArray<Change>) => void
}

/** Notifies nobody. */
export const noNotifications: Notifications = { send: () => {} }

/** Whether the change makes work due for any process, or appends an event. A delivery that is `sending` is under work already. */
export const makesWork = (change: Change): boolean => {
  switch (change._tag) {
    case "AppendEvent":
      return true
    case "InsertDelivery":
      return change.delivery.dueAt !== null
    case "InsertEventDelivery":
      return change.eventDelivery.dueAt !== null
    case "TransitionDelivery":
      return change.next.dueAt !== null && change.next.status !== "sending"
    case "TransitionEventDelivery":
      return change.next.dueAt !== null
    default:
      return false
  }
}

/** `LISTEN` cuts a longer name off, and `pg_notify` refuses one. */
const channelBytesMax = 63

/** The channel of a schema. A long name of a schema is hashed. */
const channelOf = (schema: string): string => {
  const channel = `mailkeep ${schema}`
  if (Buffer.byteLength(channel) <= channelBytesMax) return channel
  return `mailkeep ${createHash("sha256").update(schema).digest("hex").slice(0, 32)}`
}

/** Waits before it connects again: up to 5 s. */
const reconnecting = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered
)

/** How long a server may take to end a connection. */
const endMillisMax = 1000

/** Ends a connection, also when the server is silent. */
const endClient = async (client: pg.Client): Promise<void> => {
  const { connection } = client as ProductClient
  const destroy = setTimeout(() => connection?.stream?.destroy?.(), endMillisMax)
  await client.end().catch(() => {})
  clearTimeout(destroy)
}

/** Opens `hint` for each notification of another process. Connects again when the connection is lost. */
export const makeNotifications = (
  config: ClientConfig,
  schema: string,
  hint: Latch.Latch
): Effect.Effect<Notifications, never, Scope.Scope> => {
  const channel = channelOf(schema)
  const self = randomUUID()
  let sendOne: (() => Promise<unknown>) | undefined
  let isSending = false
  let isWaiting = false

  /** Does not connect yet. Fails when a file of a certificate is missing. */
  const makeClient = Effect.try({
    try: () =>
      new pg.Client({ ...config, pipeline: true, application_name: "mailkeep listen", ...reachableOptions }).on(
        "error",
        () => {}
      ),
    catch: (cause) => cause
  })

  const listen = async (client: pg.Client) => {
    const ended = new Promise<void>((resolve) => client.once("end", resolve))
    client.on("notification", ({ payload }) => {
      if (payload !== self) hint.openUnsafe()
    })
    await client.connect()
    const limited = makeSilenceLimit(client, silentMillisDefault)
    // A lost notification only delays work by one poll, so the server need not wait for its disk.
    await limited(client.query("SET synchronous_commit = off"))
    await limited(client.query(`LISTEN ${pg.escapeIdentifier(channel)}`))
    // What was committed while nothing listened.
    hint.openUnsafe()
    return {
      ended,
      sendOne: () => limited(client.query({ text: "SELECT pg_notify($1, $2)", values: [channel, self] }))
    }
  }

  /** One notification at a time: the next one is sent for all commits during it. */
  const notify = async (): Promise<void> => {
    isSending = true
    do {
      isWaiting = false
      await sendOne?.().catch(() => {})
    } while (isWaiting)
    isSending = false
  }

  // A close interrupts the connecting too, so that it does not wait for a server that does not answer.
  const session = Effect.acquireUseRelease(
    makeClient,
    (client) =>
      Effect.flatMap(
        Effect.tryPromise({ try: () => listen(client), catch: (cause) => cause }),
        ({ sendOne: send, ended }) => {
          isReported = false
          sendOne = send
          return Effect.promise(() => ended)
        }
      ),
    (client) =>
      Effect.promise(async () => {
        sendOne = undefined
        await endClient(client)
      })
  )

  let isReported = false
  /** Logs the first failure since notifications were received. */
  const report = (cause: unknown): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isReported) return Effect.void
      isReported = true
      return Effect.logWarning(
        "No notifications are received. The work of other processes is found within 1 s instead.",
        {
          code: codeOf(cause)
        }
      )
    })

  return Effect.as(Effect.forkScoped(Effect.repeat(Effect.catch(session, report), reconnecting)), {
    send: (changes) => {
      if (!changes.some(makesWork)) return
      if (isSending) isWaiting = true
      else void notify()
    }
  })
}
