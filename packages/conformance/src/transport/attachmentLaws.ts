/**
 * Laws of the files of a message: the relay has their bytes unchanged, and never a part of a file.
 */
import type { OutgoingAttachment, TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { failureOf, holds, same } from "../expectation.ts"
import { ada, isPositive, positive } from "./outcomeLaws.ts"
import type { AcceptedAttachment, TransportLaw } from "./TransportSubject.ts"
import { handOffTo, mailOf, transportLaw } from "./TransportSubject.ts"

type Chunks = () => AsyncIterable<Uint8Array>

const chunked = (content: Uint8Array, size: number): Chunks =>
  async function* () {
    for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
  }

const fileOf = (
  { content, ...shown }: AcceptedAttachment,
  read: Chunks = chunked(content, 1000)
): OutgoingAttachment => ({
  ...shown,
  size: content.length,
  read
})

/** Bytes of every value, with line ends, NUL and a line of one full stop. */
const binary = Uint8Array.from({ length: 3000 }, (_, at) => (at < 2800 ? at % 256 : [13, 10, 46, 13, 10][at % 5]!))

const file = (change: Partial<AcceptedAttachment> = {}): AcceptedAttachment => ({
  filename: "invoice.pdf",
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  content: binary,
  ...change
})

const filesArrive = transportLaw(
  "outcome/files-arrive-unchanged",
  "The relay has each file of the message with its name, its type, its id and its bytes, in order.",
  function* (transport, relay) {
    const { message, envelope } = handOffTo(ada)
    const files = [
      // A message has the files that its html shows before the others.
      file({ filename: "logo.png", contentType: "image/png", contentId: "logo@a.example", disposition: "inline" }),
      file(),
      file({ filename: "Rechnung für Jürgen 請求書.txt", contentType: "text/plain", content: binary.slice(0, 7) }),
      file({ filename: 'a "quoted"; name=x.bin', contentType: "application/octet-stream", content: new Uint8Array(0) })
    ]
    const html = '<p><img src="cid:logo@a.example"></p>'
    yield* transport.handOff(
      handOffTo(ada, { message: { ...message, html, attachments: files.map((one) => fileOf(one)) } })
    )
    const accepted = yield* relay.accepted
    const trimmed = accepted.map((mail) => ({ ...mail, html: mail.html?.trimEnd(), text: mail.text?.trimEnd() }))
    yield* same("the messages at the relay", trimmed, [mailOf({ envelope, message: { ...message, html } }, files)])
  }
)

const wholeFilesOnly = transportLaw(
  "outcome/no-part-of-a-file",
  "If a file cannot be read whole, the hand-off fails as unavailable with `relayFault: false`, and the relay never has the message. Without `signalsFinalize`, the failure says so.",
  function* (transport, relay) {
    const { signalsFinalize } = transport.capabilities
    const { message } = handOffTo(ada)
    const failing: Chunks = async function* () {
      yield binary.subarray(0, 1000)
      throw new Error("The content cannot be read.")
    }
    const readings: ReadonlyArray<Chunks> = [
      failing,
      chunked(binary.subarray(0, 2999), 1000),
      chunked(Uint8Array.of(...binary, 0), 1000)
    ]
    let finalized = 0
    const beforeFinalize = Effect.sync(() => void finalized++)
    for (const read of readings) {
      const attachments = [fileOf(file()), fileOf(file(), read)]
      const handOff = handOffTo(ada, { message: { ...message, attachments }, beforeFinalize })
      const failure = yield* failureOf("the hand-off", transport.handOff(handOff))
      const { _tag, relayFault, certainlyNotAccepted } = failure as TransportUnavailable
      yield* same("the failure", { _tag, relayFault }, { _tag: "TransportUnavailable", relayFault: false })
      // Otherwise the phase makes the attempt ambiguous, and the core waits 10 minutes for nothing.
      if (!signalsFinalize) yield* same("certainlyNotAccepted of the failure", certainlyNotAccepted, true)
    }
    yield* same("the messages at the relay", yield* relay.accepted, [])
    yield* same("the number of calls of beforeFinalize", finalized, 0)
    const next = yield* transport.handOff(handOffTo(ada))
    yield* holds("the next hand-off", positive, isPositive(next), next)
  }
)

export const attachmentLaws: ReadonlyArray<TransportLaw> = [filesArrive, wholeFilesOnly]
