/**
 * Requests of hostile or defective clients, over real sockets: the refusals, their format, and the further use of the connection.
 */
import { sendInput, stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { getRequest, rawClient, sendHead, sendRequest } from "./rawClient.ts"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, postSend } from "./httpTestServer.ts"

const [store] = stores

let wire: HttpTestServer
beforeAll(async () => {
  wire = await openHttpTestServer(store!)
})
afterAll(() => wire.close())

const refusal = (status: number) => ({
  status,
  head: expect.stringMatching(
    /^(?=[\s\S]*x-content-type-options: nosniff)[\s\S]*x-request-id: [\s\S]*x-correlation-id: /i
  )
})

describe("request heads", () => {
  const get = "GET /api/v1/emails/domains HTTP/1.1\r\n"
  const post = "POST /api/v1/emails/send HTTP/1.1\r\nhost: x\r\n"

  it.each([
    ["without Host", `${get}\r\n`, 400, "required"],
    ["with two Host fields", `${get}host: a\r\nhost: b\r\n\r\n`, 400, "invalid_value"],
    ["with an unknown expectation", `${post}expect: 200-ok\r\ncontent-length: 0\r\n\r\n`, 417, undefined],
    ["with an unknown transfer coding", `${post}transfer-encoding: gzip\r\n\r\n`, 501, undefined],
    [
      "with another transfer coding before chunked",
      `${post}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
      undefined
    ],
    ["with chunked twice", `${post}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, 501, undefined],
    ["that requests a tunnel", "CONNECT example.net:443 HTTP/1.1\r\nhost: example.net\r\n\r\n", 501, undefined],
    ["with two lengths", `${post}content-length: 1\r\ncontent-length: 2\r\n\r\nx`, 400, undefined],
    [
      "with a length and a transfer coding",
      `${post}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      undefined
    ]
  ])("refuses a head %s in the format of every refusal, and closes its connection", async (_, bytes, status, code) => {
    const client = await rawClient(wire.url)
    client.send(bytes)
    const answers = await client.closed
    expect(answers).toMatchObject([refusal(status)])
    const body = JSON.parse(answers[0]!.body)
    expect(body).toMatchObject({
      error: "invalid_argument",
      message: expect.any(String),
      correlationId: expect.any(String)
    })
    expect(answers[0]!.head).toContain(body.correlationId)
    if (status !== 400) expect(body.details).toBeUndefined()
    else
      expect(body.details).toMatchObject({
        context: "headers",
        issues: code === undefined ? [] : [{ path: ["host"], code, message: expect.stringMatching(/^(?:is|must) /) }]
      })
  })

  it("returns the request id of a head that it refuses", async () => {
    const client = await rawClient(wire.url)
    client.send(`${get}x-request-id: mine\r\n\r\n`)
    const [answer] = await client.closed
    expect(answer!.head).toMatch(/x-request-id: mine/i)
    expect(JSON.parse(answer!.body).correlationId).toBe("mine")
  })

  it("answers an HTTP/1.0 request without Host", async () => {
    const client = await rawClient(wire.url)
    client.send(`GET /api/v1/emails/domains HTTP/1.0\r\nauthorization: Bearer ${wire.key}\r\n\r\n`)
    expect(await client.closed).toMatchObject([{ status: 200 }])
  })
})

describe("request bodies", () => {
  it("refuses a content coding other than identity", async () => {
    const coded = (coding: string) => postSend(wire, sendInput(), { headers: { "content-encoding": coding } })
    const refused = await coded("gzip")
    expect(refused).toMatchObject(invalid("headers", [["content-encoding"], "invalid_value"]))
    expect(refused.body.message).toContain("not supported")
    expect((await coded("identity")).status).toBe(202)
  })

  it("refuses a chunked body when a chunk has no length", async () => {
    const client = await rawClient(wire.url)
    client.send(`${sendHead(wire.key)}transfer-encoding: chunked\r\n\r\nzz\r\n`)
    expect(await client.closed).toMatchObject([refusal(400)])
  })

  it("reads a body in chunks of one byte", async () => {
    const client = await rawClient(wire.url)
    const chunks = [...JSON.stringify(sendInput())].map((byte) => `1\r\n${byte}\r\n`)
    client.send(`${sendHead(wire.key)}transfer-encoding: chunked\r\n\r\n`)
    for (const chunk of chunks) client.send(chunk)
    client.send("0\r\n\r\n")
    expect(await client.answered(1)).toMatchObject([{ status: 202 }])
    client.socket.destroy()
  })

  it.each([
    ["of a send", () => sendHead(wire.key)],
    ["without a valid API key", () => sendHead("wrong")],
    ["of an unknown route", () => "POST /nowhere HTTP/1.1\r\nhost: x\r\n"]
  ])("closes the connection when the body %s has thousands of chunks of one byte", async (_, head) => {
    const client = await rawClient(wire.url)
    client.send(`${head()}transfer-encoding: chunked\r\n\r\n${"1\r\n[\r\n".repeat(4200)}`)
    expect((await client.closed).map(({ status }) => status)).not.toContain(202)
  })

  it("reads a body in thousands of chunks of 20 bytes", async () => {
    const client = await rawClient(wire.url)
    const body = JSON.stringify(sendInput({ text: "x".repeat(80_000) }))
    const chunks = body.match(/.{1,20}/g)!.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    client.send(`${sendHead(wire.key)}transfer-encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`)
    expect(await client.answered(1)).toMatchObject([{ status: 202 }])
    client.socket.destroy()
  })

  it("refuses a send over 30 MiB with 413 after reading its rest, and answers the next request of the connection", async () => {
    const client = await rawClient(wire.url)
    client.send(`${sendHead(wire.key)}transfer-encoding: chunked\r\n\r\n`)
    const chunk = `100000\r\n${"x".repeat(1024 * 1024)}\r\n`
    for (let sent = 0; sent < 39; sent++) client.send(chunk)
    client.send("0\r\n\r\n")
    const [answer] = await client.answered(1)
    expect({ status: answer!.status, body: JSON.parse(answer!.body) }).toMatchObject(error(413, "invalid_argument"))
    // The body was read to its end, so the connection can carry another request.
    client.send(getRequest(wire.key, "/emails/domains"))
    expect(await client.answered(2)).toMatchObject([{ status: 413 }, { status: 200 }])
    client.socket.destroy()
  })
})

describe("bytes that are not a request", () => {
  it("refuses bytes that are not HTTP after the response to the request before them", async () => {
    const client = await rawClient(wire.url)
    client.send(`${sendRequest(wire.key, sendInput())}nonsense\r\n\r\n`)
    expect(await client.closed).toMatchObject([{ status: 202 }, refusal(400)])
  })

  it("refuses bytes that are not HTTP after the responses to all pipelined requests before them", async () => {
    const client = await rawClient(wire.url)
    const get = getRequest(wire.key, "/emails/domains")
    client.send(`${get}${get}${get}nonsense\r\n\r\n`)
    expect((await client.closed).map(({ status }) => status)).toEqual([200, 200, 200, 400])
  })

  it("refuses a tunnel after the responses to all pipelined requests before it", async () => {
    const client = await rawClient(wire.url)
    const connectRequest = "CONNECT example.net:443 HTTP/1.1\r\nhost: example.net\r\n\r\n"
    client.send(sendRequest(wire.key, sendInput()) + getRequest(wire.key, "/emails/domains") + connectRequest)
    expect(await client.closed).toMatchObject([{ status: 202 }, { status: 200 }, refusal(501)])
  })

  it("answers nothing after a request that closes its connection", async () => {
    const client = await rawClient(wire.url)
    const get = (field: string) => getRequest(wire.key, "/emails/domains", field)
    client.send(get("") + get("connection: close\r\n") + get(""))
    expect((await client.closed).map(({ status }) => status)).toEqual([200, 200])
  })

  it("refuses bytes that are not a request only once, however many follow", async () => {
    const client = await rawClient(wire.url)
    for (let line = 0; line < 20; line++) client.send("nonsense\r\n\r\n")
    expect(await client.closed).toMatchObject([refusal(400)])
  })
})
