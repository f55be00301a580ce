/**
 * The stub transport of a test mail. It keeps what was handed over, with the bytes of the files, and knows the hand-offs under way.
 */
import { types } from "node:util"
import type { OutgoingAttachment, TransportShape } from "@mailkeep/core/adapter"
import { parseAddress } from "@mailkeep/core/binding"
import { StubTransport } from "@mailkeep/smtp/stub"
import { Effect } from "effect"
import type { CapturedMail } from "./CapturedMail.ts"
import { toCapturedMail } from "./CapturedMail.ts"
import { scheduler } from "./realTimers.ts"
import type { ScriptedOutcome } from "./ScriptedOutcome.ts"
import { toAct } from "./ScriptedOutcome.ts"

/** The number of mails that are kept. The oldest are dropped first. */
const capturedMax = 10_000

/** The transport, what it captured, and its script. */
export interface CapturingTransport {
  readonly shape: TransportShape
  /** Oldest first. */
  readonly captured: () => ReadonlyArray<CapturedMail>
  readonly script: (to: string | RegExp, outcomes: ReadonlyArray<ScriptedOutcome>) => void
  /** How many hand-offs have begun and not ended. */
  readonly underWay: () => number
  /** Grows with each step of a hand-off. An equal number means that nothing happened. */
  readonly steps: () => number
}

type StubTransportShape = ReturnType<typeof StubTransport.make>

const exactly = (address: string): RegExp =>
  new RegExp(`^${address.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`, "i")

/** The pattern of an address, as the envelope has it, or a pattern without a position of its own. */
const toPattern = (to: string | RegExp): RegExp =>
  typeof to === "string"
    ? exactly(parseAddress(to)?.address ?? to)
    : new RegExp(to.source, to.flags.replaceAll(/[gy]/g, ""))

/** The MIME message of a delivery. The stub composes it as the SMTP transport does. */
const sourceOf = async ({ capture }: StubTransportShape, deliveryId: string): Promise<string> => {
  const source = await Effect.runPromise(capture.source(deliveryId), { scheduler })
  if (source === null) throw new Error("The mail is one of too many to be kept.")
  const pieces: Array<Uint8Array> = []
  for await (const piece of source.read()) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}

/** Makes the transport. `now` is the time of the captured mails. */
export const makeCapturingTransport = (now: () => number): CapturingTransport => {
  const captured: Array<CapturedMail> = []
  let underWay = 0
  let steps = 0
  // The bytes of the files of each hand-off, as the stub reads them.
  const contents = new Map<string, ReadonlyArray<{ readonly pieces: Array<Uint8Array> }>>()

  const stub = StubTransport.make({
    keep: capturedMax,
    onCaptured: (message) => {
      const files = (contents.get(message.deliveryId) ?? []).map(({ pieces }) => new Uint8Array(Buffer.concat(pieces)))
      captured.push(toCapturedMail(message, files, () => sourceOf(stub, message.deliveryId), now()))
      if (captured.length > capturedMax) captured.shift()
    }
  })

  /** The same file. Keeps the bytes of the latest reading in `pieces`. */
  const keeping = (attachment: OutgoingAttachment, pieces: Array<Uint8Array>): OutgoingAttachment => ({
    ...attachment,
    read: async function* () {
      pieces.length = 0
      for await (const piece of attachment.read()) {
        steps++
        pieces.push(piece)
        yield piece
      }
    }
  })

  const shape: TransportShape = {
    capabilities: stub.capabilities,
    handOff: (handOff) =>
      Effect.suspend(() => {
        const { deliveryId, message } = handOff
        const files = message.attachments.map((attachment) => ({ attachment, pieces: [] as Array<Uint8Array> }))
        contents.set(deliveryId, files)
        underWay++
        steps++
        const attachments = files.map(({ attachment, pieces }) => keeping(attachment, pieces))
        return Effect.ensuring(
          stub.handOff({ ...handOff, message: { ...message, attachments } }),
          Effect.sync(() => {
            contents.delete(deliveryId)
            underWay--
            steps++
          })
        )
      })
  }

  return {
    shape,
    captured: () => [...captured],
    script: (to, outcomes) => {
      if (typeof to !== "string" && !types.isRegExp(to))
        throw new TypeError("The address of a script must be a text or a pattern.")
      if (!Array.isArray(outcomes)) throw new TypeError('A script needs a list of outcomes, such as ["refused"].')
      const [first, ...others] = outcomes.map(toAct)
      if (first === undefined) throw new TypeError("A script needs at least one outcome.")
      stub.addRules({ recipient: toPattern(to), acts: [first, ...others] })
    },
    underWay: () => underWay,
    steps: () => steps
  }
}
