/**
 * The memory of the stub: the accepted messages, and the last hand-off of each delivery. Each has a largest number and size. The memory also has
 * the outcomes that are chosen for the next hand-offs.
 */
import type { CapturedMail, HandOff, Instant, MailCaptureShape, MailSource, NextOutcome } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { CapturedMessage } from "./StubOptions.ts"

/** How much is kept. */
export interface CaptureLimits {
  /** At most this number of messages. */
  readonly keep: number
  /** At most this number of bytes of bodies and header fields. The newest message is kept in any case. */
  readonly keepBytes: number
}

/** The memory of the stub, as the stub uses it. */
export interface MailCaptureRecorder extends MailCaptureShape {
  readonly record: (handOff: HandOff, at: Instant) => void
  /** Returns the chosen outcome of the hand-off to this address, and removes the choice. */
  readonly takeNextOutcome: (recipient: string) => NextOutcome | undefined
}

const bytesOfRecord = 1024
const bytesOfCharacter = 2

/** About how many bytes a message takes in memory. Its files stay in the store. */
const bytesOfMessage = ({ subject, html, text, headers }: HandOff["message"]): number =>
  bytesOfRecord +
  bytesOfCharacter *
    Object.entries(headers).reduce(
      (sum, [name, value]) => sum + name.length + value.length,
      subject.length + (html?.length ?? 0) + (text?.length ?? 0)
    )

/** The messages that the stub has accepted, within the limits. */
export interface CapturedMessages {
  /** Oldest first. */
  readonly all: () => ReadonlyArray<CapturedMessage>
  /** Whether a message with this Message-ID is kept for the recipient. */
  readonly has: (captured: CapturedMessage) => boolean
  /** Keeps the message, and removes the oldest ones beyond the limits. */
  readonly add: (captured: CapturedMessage) => void
}

export const makeCapturedMessages = ({ keep, keepBytes }: CaptureLimits): CapturedMessages => {
  const kept: Array<CapturedMessage> = []
  let keptBytes = 0
  return {
    all: () => [...kept],
    has: ({ message: { messageIdHeader }, envelope: { to } }) =>
      kept.some(({ message, envelope }) => message.messageIdHeader === messageIdHeader && envelope.to === to),
    add: (captured) => {
      kept.push(captured)
      keptBytes += bytesOfMessage(captured.message)
      while (kept.length > keep || (keptBytes > keepBytes && kept.length > 1))
        keptBytes -= bytesOfMessage(kept.shift()!.message)
    }
  }
}

/** At most this number of addresses have a chosen outcome. The oldest choice is dropped first. */
const nextOutcomesMax = 100

/** Loads the composer when somebody first reads a source: a program that only keeps the messages starts faster without it. */
const sourceOf = (handOff: HandOff): Effect.Effect<MailSource, TransportUnavailable> =>
  Effect.promise(() => import("./prepareMessage.ts")).pipe(
    Effect.andThen(({ prepareMessage }) => prepareMessage(handOff, { textAlternative: true })),
    Effect.map(({ size, open }) => ({ size, read: open })),
    Effect.catchTag("MessageUnsendable", ({ reason }) => Effect.fail(new TransportUnavailable({ reason })))
  )

interface Kept {
  readonly handOff: HandOff
  readonly mail: CapturedMail
  readonly bytes: number
}

/** Makes an empty memory. */
export const makeMailCapture = ({ keep, keepBytes }: CaptureLimits): MailCaptureRecorder => {
  // Oldest first. A further attempt of a delivery moves it to the end.
  const kept = new Map<string, Kept>()
  const outcomes = new Map<string, NextOutcome>()
  let bytes = 0
  let version = 0

  const remove = (deliveryId: string): void => {
    bytes -= kept.get(deliveryId)?.bytes ?? 0
    kept.delete(deliveryId)
  }

  return {
    version: () => version,
    mails: () => [...kept.values()].map(({ mail }) => mail).toReversed(),
    find: (deliveryId) => kept.get(deliveryId)?.mail,
    source: (deliveryId) => {
      const found = kept.get(deliveryId)
      return found === undefined ? Effect.succeed(null) : sourceOf(found.handOff)
    },
    setNextOutcome: (recipient, outcome) => {
      const address = recipient.toLowerCase()
      outcomes.delete(address)
      if (outcome !== null) outcomes.set(address, outcome)
      for (const oldest of outcomes.keys()) if (outcomes.size > nextOutcomesMax) outcomes.delete(oldest)
      version++
    },
    nextOutcomes: () => [...outcomes].map(([recipient, outcome]) => ({ recipient, outcome })),
    clear: () => {
      kept.clear()
      bytes = 0
      version++
    },
    record: (handOff, at) => {
      const { projectId, deliveryId, attempt, envelope, message } = handOff
      remove(deliveryId)
      const size = bytesOfMessage(message)
      kept.set(deliveryId, { handOff, mail: { projectId, deliveryId, attempt, envelope, message, at }, bytes: size })
      bytes += size
      for (const oldest of kept.keys())
        if (kept.size > keep || (bytes > keepBytes && kept.size > 1)) remove(oldest)
        else break
      version++
    },
    takeNextOutcome: (recipient) => {
      const address = recipient.toLowerCase()
      const outcome = outcomes.get(address)
      if (outcome === undefined) return undefined
      outcomes.delete(address)
      version++
      return outcome
    }
  }
}
