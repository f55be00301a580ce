/**
 * Reads what a transport gets of a file, and the issues of a refused send with files.
 */
import { project, sendInput } from "@mailkeep/test-support"
import { Effect, Result } from "effect"
import { Sending } from "../../../src/index.ts"
import type { OutgoingAttachment } from "../../../src/port/Transport.ts"

/** The parts of a file. */
export const read = (attachment: OutgoingAttachment) =>
  Effect.promise(async () => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of attachment.read()) chunks.push(chunk)
    return chunks
  })

/** The whole content of a file. */
export const contentOf = (attachment: OutgoingAttachment) =>
  Effect.map(read(attachment), (chunks) => Buffer.concat(chunks))

/** The path and the code of each issue. Empty when the send is accepted. */
export const refusalOf = (attachments: unknown) =>
  Effect.map(
    Effect.result(Effect.flatMap(Sending, (sending) => sending.send(project, sendInput({ attachments } as never)))),
    (sent) =>
      Result.isFailure(sent) && sent.failure._tag === "InvalidArgument"
        ? sent.failure.issues.map(({ path, code }) => `${path.join(".")} ${code}`)
        : []
  )
