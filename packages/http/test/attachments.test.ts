/**
 * Sends with files over HTTP.
 */
import { project, sendInput, stores, captured, tick } from "@mailkeep/test-support"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

const mib = 1024 * 1024

const base64 = (content: Uint8Array | string) => Buffer.from(content).toString("base64")

const bytes = (size: number) => Uint8Array.from({ length: size }, (_, at) => (at * 31) % 256)

const withFiles = (...attachments: ReadonlyArray<object>) => ({ ...sendInput(), attachments })

const pdf = { filename: "a.pdf", content: base64("PDF") }

const contentsOf = Effect.gen(function* () {
  const messages = yield* captured
  return yield* Effect.promise(() =>
    Promise.all(
      messages.flatMap(({ message }) =>
        message.attachments.map(async ({ read }) => {
          const chunks: Array<Uint8Array> = []
          for await (const chunk of read()) chunks.push(chunk)
          return Buffer.concat(chunks)
        })
      )
    )
  )
})

describe.each(stores)("a send with files, over $name", (store) => {
  let wire: HttpTestServer
  afterEach(() => wire.close())

  it("hands over the decoded files, and shows them in the log without their contents", async () => {
    wire = await openHttpTestServer(store)
    const large = bytes(300_000)
    const logo = { filename: "logo.png", content: base64("PNG"), content_id: "logo@shop", content_type: "image/png" }
    const { status, body } = await postSend(wire, withFiles({ filename: "large.bin", content: base64(large) }, logo))
    expect(status).toBe(202)
    await wire.run(tick)
    expect((await wire.run(contentsOf)).map((content) => content.length)).toEqual([large.length, 3])
    expect(Buffer.compare((await wire.run(contentsOf))[0]!, large)).toBe(0)
    const shown = await wire.call(`/emails/logs/${body.data.deliveryIds[0]}`)
    expect(shown.body.attachments).toEqual([
      {
        filename: "large.bin",
        content_type: "application/octet-stream",
        content_id: null,
        disposition: "attachment",
        size: 300_000
      },
      { filename: "logo.png", content_type: "image/png", content_id: "logo@shop", disposition: "inline", size: 3 }
    ])
    expect(shown.text).not.toContain(base64("PNG"))
  })

  it("replays a repeated send, and refuses its idempotency key with another content", async () => {
    wire = await openHttpTestServer(store)
    const headers = { "idempotency-key": "once" }
    const first = await postSend(wire, withFiles(pdf), { headers })
    const again = await postSend(wire, withFiles({ ...pdf, content: base64("PDF") }), { headers })
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"])
    const other = await postSend(wire, withFiles({ ...pdf, content: base64("PDG") }), { headers })
    expect(other).toMatchObject(invalid("headers", [["idempotency-key"], "idempotency_key_reused"]))
  })
})

describe("the attachments of a request", () => {
  const [store] = stores
  let wire: HttpTestServer
  const open = async (...more: Parameters<typeof openHttpTestServer> extends [unknown, ...infer R] ? R : never) =>
    (wire = await openHttpTestServer(store, ...more))
  afterEach(() => wire.close())

  it("refuses a path, and any content that is not base64, whatever its length", async () => {
    await open()
    const long = base64(bytes(100_000))
    for (const [file, ...issues] of [
      [
        { path: "/etc/hostname" },
        [["attachments", 0, "path"], "unknown_field"],
        [["attachments", 0, "filename"], "required"],
        [["attachments", 0, "content"], "required"]
      ],
      [{ ...pdf, content: "PDF!" }, [["attachments", 0, "content"], "invalid_value"]],
      [{ ...pdf, content: `${long}!` }, [["attachments", 0, "content"], "invalid_value"]],
      [{ ...pdf, content: `${long.slice(0, -4)}\n` }, [["attachments", 0, "content"], "invalid_value"]],
      [{ ...pdf, content: ["PDF"] }, [["attachments", 0, "content"], "invalid_type"]],
      [{ ...pdf, filename: "x".repeat(100_000) }, [["attachments", 0, "filename"], "too_long"]],
      [{ ...pdf, contentType: "a/b" }, [["attachments", 0, "contentType"], "unknown_field"]],
      [{ ...pdf, content_type: "a" }, [["attachments", 0, "content_type"], "invalid_value"]],
      [{ ...pdf, disposition: "inline" }, [["attachments", 0, "content_id"], "required"]]
    ] as ReadonlyArray<[object, ...ReadonlyArray<[ReadonlyArray<string | number>, string]>]>) {
      expect(await postSend(wire, withFiles(file))).toMatchObject(invalid("body", ...issues))
    }
    expect(await postSend(wire, `{"attachments":[{"content":"${long}`)).toMatchObject(
      invalid("body", [[], "malformed_json"])
    )
  })

  it.each(["contentType", "content_type", "contentId", "content_id"])(
    "names the unknown field %s of a message as the request does",
    async (name) => {
      await open()
      const message = { ...sendInput(), [name]: "x" }
      expect(await postSend(wire, message)).toMatchObject(invalid("body", [[name], "unknown_field"]))
      const headers = { "idempotency-key": name }
      const batch = await wire.call("/emails/batch", { method: "POST", body: { messages: [message] }, headers })
      expect(batch.body.data).toMatchObject([{ details: { issues: [{ path: ["messages", 0, name] }] } }])
    }
  )

  it.each([
    ["slashes", "/", String.raw`\/`],
    ["plus signs", "+", String.raw`\u002B`]
  ])("accepts base64 whose %s are escaped, as some languages write it", async (_, character, escape) => {
    await open()
    const content = bytes(100_000)
    const escaped = JSON.stringify(withFiles({ ...pdf, content: base64(content) })).replaceAll(character, escape)
    expect((await postSend(wire, escaped)).status).toBe(202)
    await wire.run(tick)
    expect(Buffer.compare((await wire.run(contentsOf))[0]!, content)).toBe(0)
  })

  it("accepts 20 MiB of files beside bodies of 2 MiB, and refuses one byte more", async () => {
    await open()
    const halves = (size: number) =>
      [size, 10 * mib].map((one, n) => ({ filename: `${n}.bin`, content: base64(new Uint8Array(one)) }))
    const text = "x".repeat(mib)
    const send = (size: number) => postSend(wire, { ...sendInput({ text, html: text }), attachments: halves(size) })
    expect((await send(10 * mib)).status).toBe(202)
    expect(await send(10 * mib + 1)).toMatchObject(invalid("body", [["attachments"], "too_large"]))
  })

  it("refuses a send larger than 30 MiB with 413, so that the client can read the response", async () => {
    await open()
    const answer = await postSend(wire, `"${"x".repeat(30 * mib)}"`)
    expect(answer).toMatchObject(error(413, "invalid_argument"))
    expect(answer.body.message).toBe(`The body is larger than ${30 * mib} bytes.`)
    expect((await postSend(wire, sendInput())).status).toBe(202)
  })

  it("refuses a send without files that is larger than 10 MiB with 413", async () => {
    await open()
    const padded = (body: object) => `${JSON.stringify(body)}${" ".repeat(11 * mib)}`
    const refused = await postSend(wire, padded(sendInput()))
    expect(refused).toMatchObject(error(413, "invalid_argument"))
    expect(refused.body.message).toBe(`The body is larger than ${10 * mib} bytes.`)
    const attachments = [{ filename: "a.txt", content: "" }]
    expect((await postSend(wire, padded({ ...sendInput(), attachments }))).status).toBe(202)
  })

  it("refuses a text larger than 10 MiB with 413", async () => {
    await open()
    const text = "x".repeat(10 * mib)
    const withFiles = (text: string) => ({ ...sendInput({ text }), attachments: [] })
    expect(await postSend(wire, withFiles(text))).toMatchObject(invalid("body", [["text"], "too_long"]))
    const answer = await postSend(wire, withFiles(`${text}x`))
    expect(answer).toMatchObject(error(413, "invalid_argument"))
    expect(answer.body.message).toBe(`A text of the body is larger than ${10 * mib} bytes.`)
  })

  it("refuses a body that is one long text", async () => {
    await open()
    expect((await postSend(wire, JSON.stringify("x".repeat(mib)))).status).toBe(400)
  })

  it("takes one of several large sends of an API key at once, refuses the others with 503, and reads other bodies meanwhile", async () => {
    await open()
    const body = JSON.stringify(withFiles({ ...pdf, content: base64(new Uint8Array(20 * mib)) }))
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, () => postSend(wire, body)),
      postSend(wire, sendInput())
    ])
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([202, 503]))
    expect(statuses.at(-1)).toBe(202)
    const refused = answers.find(({ status }) => status === 503)!
    expect(refused).toMatchObject(error(503, "unavailable"))
    expect(refused.headers.get("retry-after")).toBe("1")
    expect((await postSend(wire, body)).status).toBe(202)
    expect(wire.load.bodyBytes()).toBe(0)
  })

  it("uses the limit of the plan", async () => {
    await open({ plan: { attachmentBytes: 4 } })
    expect((await postSend(wire, withFiles(pdf))).status).toBe(202)
    expect(await postSend(wire, withFiles(pdf, pdf))).toMatchObject(invalid("body", [["attachments"], "too_large"]))
  })

  it("counts the bytes of files until the send ends", async () => {
    await open({}, { bodyBytesMax: mib, bodyBytesPerApiKeyMax: mib })
    const { secret } = await wire.keyOf(project, ["email.send"])
    const answer = await postSend(wire, withFiles({ ...pdf, content: base64(new Uint8Array(mib)) }), { key: secret })
    expect(answer).toMatchObject(error(503, "unavailable"))
    expect((await postSend(wire, withFiles(pdf), { key: secret })).status).toBe(202)
    expect(wire.load.bodyBytes()).toBe(0)
  })
})
