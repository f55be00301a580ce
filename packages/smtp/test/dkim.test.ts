import { generateKeyPairSync } from "node:crypto"
import { buffer } from "node:stream/consumers"
import type { DkimSignature, OutgoingMessage } from "@mailkeep/core/adapter"
import { Effect, Exit, Redacted } from "effect"
import fc from "fast-check"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { describe, expect, it } from "vitest"
import { prepareMessage } from "../src/prepareMessage.ts"
import { message } from "./handOffHarness.ts"

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

const dkim: DkimSignature = { domain: "acme.example", selector: "mk1", privateKey: Redacted.make(keys.privateKey) }

const full: Partial<OutgoingMessage> = {
  replyTo: "reply@acme.example",
  cc: ["cc@example.org"],
  subject: "Bestätigung  of your   order",
  text: "Grüße  \r\n\r\n. a\r\n\r\n\r\n",
  html: "<p>Grüße",
  headers: {
    "List-Unsubscribe": "<https://acme.example/unsubscribe/1>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "In-Reply-To": "<a@b>",
    References: "<a@b> <c@d>",
    "List-Id": "News <news.acme.example>"
  }
}

const signedBytes = (given: Partial<OutgoingMessage>, signature: DkimSignature | null = dkim) =>
  Effect.runPromise(prepareMessage({ message: message(given), dkim: signature }, { textAlternative: true })).then(
    async ({ size, open }) => {
      const raw = await buffer(open())
      expect(raw.length).toBe(size)
      return raw
    }
  )

const resolver = async (name: string) => {
  if (name !== "mk1._domainkey.acme.example") throw Object.assign(new Error("none"), { code: "ENOTFOUND" })
  return [[`v=DKIM1; k=rsa; p=${keys.publicKey.toString("base64")}`]]
}

const verdict = async (raw: Buffer): Promise<string | undefined> => {
  const { results } = await dkimVerify(raw, { resolver, strict: true })
  return results[0]?.status.result
}

/** The names in the tag `h=`, in order. */
const signedNames = (raw: Buffer): ReadonlyArray<string> =>
  /\sh=([^;]*);/
    .exec(raw.toString())![1]!
    .split(":")
    .map((name) => name.trim())

const changed = (raw: Buffer, from: string | RegExp, to: string): Buffer => {
  const text = raw.toString("latin1")
  const result = text.replace(from, to)
  expect(result).not.toBe(text)
  return Buffer.from(result, "latin1")
}

describe("the DKIM signature", () => {
  it("makes a signature that another program verifies", async () => {
    expect(await verdict(await signedBytes(full))).toBe("pass")
    expect(await verdict(await signedBytes({}))).toBe("pass")
    expect(await verdict(await signedBytes({ text: "", html: null }))).toBe("pass")
  })

  it("makes a valid signature for every text", async () => {
    const text = fc
      .array(fc.constantFrom(" ", "  ", "\t", "\r\n", "\n", "\r", "a", "ü", ".", "=", "\u0001", "word ".repeat(30)), {
        maxLength: 40
      })
      .map((parts) => parts.join(""))
    await fc.assert(
      fc.asyncProperty(text, text, fc.string({ unit: "grapheme", maxLength: 60 }), async (text, html, subject) => {
        const raw = await signedBytes({
          text,
          html: html === "" ? null : html,
          subject: subject.replace(/[\u0000-\u001f\u007f]/g, "")
        })
        expect(await verdict(raw)).toBe("pass")
      }),
      { numRuns: 50 }
    )
  })

  it("signs six fields once more than they occur, and the fields of a list when they occur", async () => {
    const names = signedNames(await signedBytes(full))
    expect(names.join(" ")).toBe(
      "from from subject subject to to date date reply-to reply-to content-type content-type cc message-id mime-version in-reply-to references list-id list-unsubscribe list-unsubscribe-post"
    )
    expect(signedNames(await signedBytes({})).join(" ")).toBe(
      "from from subject subject to to date date reply-to content-type content-type message-id mime-version content-transfer-encoding"
    )
  })

  it.each([
    ["From", /^From: Acme/m, "From: Evil"],
    ["Subject", /^Subject: =/m, "Subject: x ="],
    ["To", /^To: ada/m, "To: eve"],
    ["Date", /^Date: Sat/m, "Date: Sun"],
    ["Reply-To", /^Reply-To: reply/m, "Reply-To: evil"],
    ["Content-Type", /^Content-Type: multipart\/alternative/m, "Content-Type: multipart/mixed"],
    ["Cc", /^Cc: cc/m, "Cc: dd"],
    ["Message-ID", /^Message-ID: <del_1/m, "Message-ID: <del_2"],
    ["MIME-Version", /^MIME-Version: 1.0/m, "MIME-Version: 1.1"],
    ["In-Reply-To", /^In-Reply-To: <a/m, "In-Reply-To: <b"],
    ["References", /^References: <a/m, "References: <b"],
    ["List-Id", /^List-Id: News/m, "List-Id: Olds"],
    ["List-Unsubscribe", /unsubscribe\/1/, "unsubscribe/2"],
    ["List-Unsubscribe-Post", /One-Click/, "Two-Click"],
    ["the text", /Gr=C3=BC/, "Br=C3=BC"],
    ["the end of the message", /$/, "added\r\n"]
  ])("breaks the signature when %s is changed", async (_, from, to) => {
    expect(await verdict(changed(await signedBytes(full), from, to))).toBe("fail")
  })

  it("breaks the signature when the transfer encoding is changed", async () => {
    const raw = await signedBytes({})
    expect(await verdict(changed(raw, "Content-Transfer-Encoding: 7bit", "Content-Transfer-Encoding: 8bit"))).toBe(
      "fail"
    )
  })

  it.each([
    "From: Evil <evil@x.example>",
    "Subject: x",
    "To: x@x.example",
    "Date: Sat, 21 Nov 2026 12:00:00 +0000",
    "Reply-To: evil@x.example",
    "Content-Type: text/html"
  ])("breaks the signature when somebody adds %s", async (field) => {
    const raw = await signedBytes({})
    expect(await verdict(changed(raw, /^From:/m, `${field}\r\nFrom:`))).toBe("fail")
    expect(await verdict(Buffer.concat([Buffer.from(`${field}\r\n`), raw]))).toBe("fail")
  })

  it("writes the same bytes each time", async () => {
    expect(await signedBytes(full)).toEqual(await signedBytes(full))
  })

  it("writes lines of at most 78 characters", async () => {
    const raw = await signedBytes(full)
    const field = /^DKIM-Signature:[\s\S]*?\r\n(?! )/.exec(raw.toString("latin1"))![0]
    for (const line of field.split("\r\n")) expect(line.length).toBeLessThanOrEqual(78)
  })

  it("signs a long message, which is composed a second time", async () => {
    const content = Buffer.alloc(2_000_000, "0123456789")
    let reads = 0
    const read = async function* () {
      reads++
      yield content.subarray(0, 1_000_000)
      yield content.subarray(1_000_000)
    }
    const file = {
      filename: "a.bin",
      contentType: "a/b",
      contentId: null,
      disposition: "attachment",
      size: content.length,
      read
    } as const
    const raw = await signedBytes({ attachments: [file] })
    expect([await verdict(raw), reads]).toEqual(["pass", 2])
  })

  it.each([
    ["is not a key", "no key"],
    ["is not an RSA key", generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()]
  ])("fails without a part of the key when the key %s", async (_, privateKey) => {
    const exit = await Effect.runPromiseExit(
      prepareMessage(
        { message: message(), dkim: { ...dkim, privateKey: Redacted.make(privateKey) } },
        { textAlternative: true }
      )
    )
    expect(Exit.isFailure(exit) && exit.cause.reasons).toMatchObject([
      { _tag: "Fail", error: { _tag: "MessageUnsendable", reason: "The message could not be composed or signed." } }
    ])
  })
})

describe("prepareMessage", () => {
  it("fails as unavailable when an attachment cannot be read", async () => {
    const read = () => {
      throw new Error("disk")
    }
    const file = {
      filename: "a",
      contentType: "a/b",
      contentId: null,
      disposition: "attachment",
      size: 1,
      read
    } as const
    const failure = await Effect.runPromise(
      Effect.flip(prepareMessage({ message: message({ attachments: [file] }), dkim: null }, { textAlternative: true }))
    )
    expect(failure).toMatchObject({
      _tag: "TransportUnavailable",
      reason: "An attachment of the message could not be read.",
      relayFault: false
    })
  })

  it("ends the stream with an error when a long message has another size the second time", async () => {
    let reads = 0
    const read = async function* () {
      const size = reads++ === 0 ? 2_000_000 : 1_000_000
      yield new Uint8Array(size)
    }
    const file = {
      filename: "a",
      contentType: "a/b",
      contentId: null,
      disposition: "attachment",
      size: 2_000_000,
      read
    } as const
    const { open } = await Effect.runPromise(
      prepareMessage({ message: message({ attachments: [file] }), dkim: null }, { textAlternative: true })
    )
    await expect(buffer(open())).rejects.toThrow("An attachment does not have its size.")
  })
})
