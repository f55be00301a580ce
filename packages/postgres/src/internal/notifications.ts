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

/** The name of the channel of a schema. A long name of a schema is hashed. */
const channelNameOf = (schema: string): string => {
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

/** The channel of a schema. */
interface Channel {
  readonly name: string
  /** The payload of the notifications of this process. */
  readonly self: string
}

/** A connection that receives notifications until it has ended. */
interface Listener {
  readonly ended: Promise<void>
  /** Sends one notification. */
  readonly send: () => Promise<unknown>
}

/** Does not connect yet. Fails when a file of a certificate is missing. */
const makeClient = (config: ClientConfig): Effect.Effect<pg.Client, unknown> =>
  Effect.try({
    try: () =>
      new pg.Client({ ...config, pipeline: true, application_name: "mailkeep listen", ...reachableOptions }).on(
        "error",
        () => {}
      ),
    catch: (cause) => cause
  })

/** Connects the client. Then opens `hint` for each notification of another process. */
const listen = async (client: pg.Client, { name, self }: Channel, hint: Latch.Latch): Promise<Listener> => {
  const ended = new Promise<void>((resolve) => client.once("end", resolve))
  client.on("notification", ({ payload }) => {
    if (payload !== self) hint.openUnsafe()
  })
  await client.connect()
  const limited = makeSilenceLimit(client, silentMillisDefault)
  // A lost notification only delays work by one poll, so the server need not wait for its disk.
  await limited(client.query("SET synchronous_commit = off"))
  await limited(client.query(`LISTEN ${pg.escapeIdentifier(name)}`))
  // What was committed while nothing listened.
  hint.openUnsafe()
  return { ended, send: () => limited(client.query({ text: "SELECT pg_notify($1, $2)", values: [name, self] })) }
}

/** Makes a function that sends one notification at a time: the next one is for all calls during it. A failure is not reported. */
const makeSharedSend = (send: () => Promise<unknown>): (() => void) => {
  let isSending = false
  let isWaiting = false
  const sendAll = async (): Promise<void> => {
    isSending = true
    do {
      isWaiting = false
      await send().catch(() => {})
    } while (isWaiting)
    isSending = false
  }
  return () => {
    if (isSending) isWaiting = true
    else void sendAll()
  }
}

/** Logs the first failure since notifications were received. */
const makeFailureReport = () => {
  let isReported = false
  return {
    received: (): void => {
      isReported = false
    },
    failed: (cause: unknown): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (isReported) return Effect.void
        isReported = true
        return Effect.logWarning(
          "No notifications are received. The work of other processes is found within 1 s instead.",
          { code: codeOf(cause) }
        )
      })
  }
}

/** Opens `hint` for each notification of another process. Connects again when the connection is lost. */
export const makeNotifications = (
  config: ClientConfig,
  schema: string,
  hint: Latch.Latch
): Effect.Effect<Notifications, never, Scope.Scope> => {
  const channel: Channel = { name: channelNameOf(schema), self: randomUUID() }
  const report = makeFailureReport()
  let listener: Listener | undefined
  const notify = makeSharedSend(() => listener?.send() ?? Promise.resolve())

  // A close interrupts the connecting too, so that it does not wait for a server that does not answer.
  const session = Effect.acquireUseRelease(
    makeClient(config),
    (client) =>
      Effect.flatMap(
        Effect.tryPromise({ try: () => listen(client, channel, hint), catch: (cause) => cause }),
        (listening) => {
          report.received()
          listener = listening
          return Effect.promise(() => listening.ended)
        }
      ),
    (client) =>
      Effect.promise(async () => {
        listener = undefined
        await endClient(client)
      })
  )

  return Effect.as(Effect.forkScoped(Effect.repeat(Effect.catch(session, report.failed), reconnecting)), {
    send: (changes) => {
      if (changes.some(makesWork)) notify()
    }
  })
}
