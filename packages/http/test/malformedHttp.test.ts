/**
 * The message for bytes that are not an HTTP request. The developer of the client reads it and nothing else.
 */
import { stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer } from "./httpTestServer.ts"
import { rawClient } from "./rawClient.ts"

const [store] = stores

let wire: HttpTestServer
beforeAll(async () => {
  wire = await openHttpTestServer(store!)
})
afterAll(() => wire.close())

const targetForm =
  "The request line is not valid. Percent-encode spaces and all characters other than ASCII in the path and the query."
const lengthForm = "The request must have at most one Content-Length field, which is a whole number."
const headerForm = "A header field is not valid. Check its name, its characters and its line breaks."

describe("bytes that are not an HTTP request", () => {
  const post = "POST /api/v1/emails/send HTTP/1.1\r\nhost: x\r\n"

  it.each([
    ["text", "nonsense\r\n\r\n", 400, "This is not an HTTP request, or its method is unknown."],
    ["a lower-case method", "get / HTTP/1.1\r\n\r\n", 400, "This is not an HTTP request, or its method is unknown."],
    ["a letter other than ASCII in the query", "GET /?search=é HTTP/1.1\r\nhost: x\r\n\r\n", 400, targetForm],
    ["a space in the query", "GET /?search=a b HTTP/1.1\r\nhost: x\r\n\r\n", 400, targetForm],
    ["a path without a slash", "GET api HTTP/1.1\r\nhost: x\r\n\r\n", 400, targetForm],
    [
      "line ends without a carriage return",
      "GET / HTTP/1.1\nhost: x\n\n",
      400,
      "The request line must end with HTTP/1.1 or HTTP/1.0 and with CR LF."
    ],
    ["a negative length", `${post}content-length: -1\r\n\r\n`, 400, lengthForm],
    ["the same length twice", `${post}content-length: 1\r\ncontent-length: 1\r\n\r\nx`, 400, lengthForm],
    [
      "a length and a transfer coding",
      `${post}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "The request must not have both Content-Length and Transfer-Encoding."
    ],
    [
      "a transfer coding and a length",
      `${post}transfer-encoding: chunked\r\ncontent-length: 1\r\n\r\n0\r\n\r\n`,
      400,
      "The request must not have both Content-Length and Transfer-Encoding."
    ],
    [
      "a header field that ends without a carriage return",
      `GET / HTTP/1.1\r\nhost: x\nx-a: a\r\n\r\n`,
      400,
      headerForm
    ],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "HTTP/2 is not supported. Use HTTP/1.1."],
    ["a header field over two lines", `${post}x-a: a\r\n b\r\n\r\n`, 400, headerForm],
    ["a space in the name of a header field", `${post}x a: a\r\n\r\n`, 400, headerForm],
    [
      "a query of 20,000 characters",
      `GET /?search=${"x".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      431,
      "The path, the query and the header fields are too large together."
    ]
  ])("answers %s with what is wrong", async (_, bytes, status, message) => {
    const client = await rawClient(wire.url)
    client.send(bytes)
    const [answer] = await client.closed
    expect(answer!.status).toBe(status)
    expect(JSON.parse(answer!.body)).toMatchObject({ error: "invalid_argument", message })
  })

  const fields = "idempotency-key: a\r\ncontent-type: application/json\r\n"
  const chunked = "transfer-encoding: chunked\r\n\r\n"

  it.each([
    ["a chunk without a size", `${chunked}zz\r\n`],
    ["a chunk that is longer than its size", `${chunked}1\r\n{}\r\n0\r\n\r\n`],
    ["a size of a chunk without a carriage return", `${chunked}2\n{}\r\n0\r\n\r\n`]
  ])("answers %s with what is wrong when the body is read", async (_, body) => {
    const client = await rawClient(wire.url)
    client.send(`${post}authorization: Bearer ${wire.key}\r\n${fields}${body}`)
    const [answer] = await client.closed
    expect(answer!.status).toBe(400)
    expect(JSON.parse(answer!.body)).toMatchObject({ message: "The chunks of the body are not valid." })
  })

  it.each([
    ["a body", `${fields}content-length: 10\r\n\r\n{}`],
    ["a head", ""]
  ])("says that the request is not complete to a client that ends the connection within %s", async (_, rest) => {
    const client = await rawClient(wire.url)
    client.send(`${post}authorization: Bearer ${wire.key}\r\n${rest}`)
    client.socket.end()
    const [answer] = await client.closed
    expect(JSON.parse(answer!.body)).toMatchObject({ message: "The connection ended before the request was complete." })
  })
})
