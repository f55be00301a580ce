/**
 * The SMTP transport and a scripted relay, for the laws of the transport. The relay reads each message back with postal-mime.
 */
import type { Relay, RelayAct, AcceptedAttachment, AcceptedMail, TransportSubject } from "@mailkeep/conformance"
import { Effect } from "effect"
import type { Address, Attachment, Email } from "postal-mime"
import PostalMime, { decodeWords } from "postal-mime"
import type { SmtpOptions } from "../src/index.ts"
import { SmtpTransport } from "../src/index.ts"
import type { RelaySetup, Taken } from "./ScriptedRelay.ts"
import type { Act } from "./RelayDialogue.ts"
import { ScriptedRelay } from "./ScriptedRelay.ts"

const standardFields = new Set([
  "from",
  "to",
  "cc",
  "reply-to",
  "subject",
  "date",
  "message-id",
  "mime-version",
  "dkim-signature",
  "content-type",
  "content-transfer-encoding"
])

const addresses = (found: ReadonlyArray<Address> = []) => found.map(({ address }) => address ?? "")

/** The fields of a message that are not standard ones, decoded. */
export const otherFields = ({ headers }: Email): Readonly<Record<string, string>> =>
  Object.fromEntries(
    headers
      .filter(({ key }) => !standardFields.has(key))
      .map(({ originalKey, value }) => [originalKey, decodeWords(value)])
  )

const attachmentAt = ({ filename, mimeType, contentId, disposition, content }: Attachment): AcceptedAttachment => ({
  filename: filename ?? "",
  contentType: mimeType,
  contentId: contentId?.replace(/^<|>$/g, "") ?? null,
  disposition: disposition === "inline" ? "inline" : "attachment",
  content: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content)
})

/** A message as the relay has it. */
export const mailAt = async ({
  sender,
  recipient,
  raw
}: Pick<Taken, "sender" | "recipient" | "raw">): Promise<AcceptedMail> => {
  const mail = await PostalMime.parse(raw)
  return {
    sender,
    recipient,
    messageIdHeader: mail.messageId ?? "",
    date: Date.parse(mail.date ?? ""),
    from: { name: mail.from?.name || null, address: mail.from?.address ?? "" },
    replyTo: addresses(mail.replyTo)[0] ?? null,
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    subject: mail.subject ?? "",
    html: mail.html ?? null,
    text: mail.text?.replace(/\n/g, "\r\n") ?? null,
    headers: otherFields(mail),
    attachments: mail.attachments.map(attachmentAt)
  }
}

/** What the relay does at the step, for what a law wants. */
const actAt = (act: RelayAct, step: string): Act | undefined => {
  switch (act.does) {
    case "accept":
      return undefined
    case "refuse":
      return step === (act.stage === "rcpt" ? "rcpt" : "endOfData")
        ? { reply: `${act.smtpCode} ${act.enhancedCode} ${act.text}` }
        : undefined
    case "hang":
      return step === (act.whileFinalizing ? "endOfData" : "rcpt") ? "silence" : undefined
    case "drop":
      return step === (act.whileFinalizing ? "endOfData" : "rcpt") ? "drop" : undefined
  }
}

/** The SMTP transport with a relay, for `transportLaws`. */
export const smtpWithRelay = (
  setup: Pick<RelaySetup, "keywords"> = {},
  options: Partial<SmtpOptions> = {}
): TransportSubject["transport"] =>
  Effect.gen(function* () {
    const acts = new Map<string, RelayAct>()
    const relay = yield* Effect.acquireRelease(
      Effect.promise(() =>
        ScriptedRelay.listen({
          ...setup,
          act: (step, { recipient }, line) =>
            actAt(acts.get(step === "rcpt" ? /<([^>]*)>/.exec(line)![1]! : recipient) ?? { does: "accept" }, step)
        })
      ),
      (relay) => Effect.promise(() => relay.close())
    )
    const shown: Relay = {
      script: (recipient, act) => Effect.sync(() => acts.set(recipient, act)),
      accepted: Effect.promise(() => Promise.all(relay.taken.map(mailAt))),
      underWay: Effect.sync(() => relay.sessions.filter(({ isBusy }) => isBusy).length)
    }
    return {
      layer: SmtpTransport.layer({
        host: "127.0.0.1",
        port: relay.port,
        tls: "off",
        clientName: "client.example",
        ...options
      }),
      relay: shown
    }
  })
