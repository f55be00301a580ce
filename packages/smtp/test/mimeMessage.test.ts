import { generateKeyPairSync } from "node:crypto"
import { buffer } from "node:stream/consumers"
import type { DkimSignature } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { mimeMessage } from "../src/index.ts"
import { prepareMessage } from "../src/prepareMessage.ts"
import { message } from "./handOffHarness.ts"

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})
const dkim: DkimSignature = { domain: "acme.example", selector: "mk1", privateKey: Redacted.make(privateKey) }

const fileOf = (read: () => AsyncIterable<Uint8Array>) =>
  ({ filename: "a.bin", contentType: "a/b", contentId: null, disposition: "attachment", size: 2, read }) as const

describe("mimeMessage", () => {
  it("resolves with the signed bytes that the SMTP transport sends", async () => {
    const handOff = { message: message({ html: "<p>Hello", text: null }), dkim }
    const sent = await Effect.runPromise(prepareMessage(handOff, { textAlternative: true }))
    const mime = await mimeMessage(handOff)
    if (mime._tag === "Refused") throw new Error("refused")
    const raw = await buffer(mime.open())
    expect(raw.toString()).toMatch(/^DKIM-Signature: .*text\/plain/s)
    expect(raw.equals(await buffer(sent.open()))).toBe(true)
    expect(mime.size).toBe(raw.length)
    // A retry of the request needs a new stream.
    expect((await buffer(mime.open())).equals(raw)).toBe(true)
  })

  it("leaves out the text that is made from html when textAlternative is false", async () => {
    const handOff = { message: message({ html: "<p>Hello", text: null }), dkim: null }
    const mime = await mimeMessage(handOff, { textAlternative: false })
    if (mime._tag === "Refused") throw new Error("refused")
    expect((await buffer(mime.open())).toString()).not.toContain("text/plain")
  })

  it("resolves with a refusal when the message can never be sent", async () => {
    const unusable = { ...dkim, privateKey: Redacted.make("no key") }
    expect(await mimeMessage({ message: message(), dkim: unusable })).toStrictEqual({
      _tag: "Refused",
      reply: {
        stage: "mail",
        smtpCode: null,
        enhancedCode: "5.6.0",
        text: "The message could not be composed or signed."
      },
      reachedRelay: false
    })
  })

  it("rejects as certainly not accepted when a file cannot be read", async () => {
    const read = () => {
      throw new Error("disk")
    }
    const failure = await mimeMessage({ message: message({ attachments: [fileOf(read)] }), dkim: null }).catch(
      (cause: unknown) => cause
    )
    expect(failure).toBeInstanceOf(TransportUnavailable)
    expect(failure).toMatchObject({ certainlyNotAccepted: true, relayFault: false })
  })

  it("rejects with the reason of the signal when the hand-off ends", async () => {
    const ending = new AbortController()
    const reading = Promise.withResolvers<void>()
    const read = async function* () {
      reading.resolve()
      yield new Uint8Array(1)
      await new Promise(() => {})
    }
    const handOff = { message: message({ attachments: [fileOf(read)] }), dkim: null }
    const composing = mimeMessage(handOff, { signal: ending.signal })
    await reading.promise
    ending.abort(new Error("ended"))
    await expect(composing).rejects.toThrow("ended")
  })
})
