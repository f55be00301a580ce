/**
 * A web-standard handler behind `node:http`, over real connections.
 */
import { text } from "node:stream/consumers"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { incomingMessageOf, nodeListener } from "../src/node.ts"
import { rawClient } from "./rawClient.ts"
import type { Handler } from "./servedHandler.ts"
import { answerOf, chunk, endless, listening, post, serve, until } from "./servedHandler.ts"

const describeRequest: Handler = async (request) =>
  answerOf(
    JSON.stringify({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text()
    })
  )

const urlFor = async (address: string, head: string) => {
  const client = await rawClient(address)
  client.send(`${head}\r\n\r\n`)
  const [answer] = await client.answered(1)
  client.socket.destroy()
  return answer!
}

describe("nodeListener, the request", () => {
  it("passes on the method, the path, the query, the headers and the body", async () => {
    const address = await serve(describeRequest)
    const response = await post(`${address}/mail/a%2Fb?x=1&x=2`, "héllo", { headers: { "x-one": "1" } })
    expect(await response.json()).toMatchObject({
      method: "POST",
      url: `${address}/mail/a%2Fb?x=1&x=2`,
      headers: { "x-one": "1", "content-length": "6" },
      body: "héllo"
    })
  })

  it("keeps the whole path below the mount path of a framework", async () => {
    const address = await serve(describeRequest, (incoming) => {
      Object.assign(incoming, { originalUrl: incoming.url, url: incoming.url!.replace("/mail", "") })
    })
    const { url } = (await (await fetch(`${address}/mail/logs?x=1`)).json()) as { url: string }
    expect(url).toBe(`${address}/mail/logs?x=1`)
  })

  it.each([
    ["a path that looks like a host", "//evil.example/mail", "host: a.example", "http://a.example//evil.example/mail"],
    ["a whole URL", "http://evil.example/mail?x=1", "host: a.example", "http://a.example/mail?x=1"],
    ["an asterisk", "*", "host: a.example", "http://a.example/"],
    ["a host with a path", "/mail", "host: a.example/other?", "http://localhost/mail"],
    ["a host with a user", "/mail", "host: user@a.example", "http://localhost/mail"],
    ["a host with a wrong port", "/mail", "host: a.example:99999", "http://localhost/mail"],
    ["a host of IPv6", "/mail", "host: [::1]:80", "http://[::1]/mail"]
  ])("makes a URL of %s", async (_, target, host, expected) => {
    const address = await serve(describeRequest)
    const method = target === "*" ? "OPTIONS" : "GET"
    const { status, body } = await urlFor(address, `${method} ${target} HTTP/1.1\r\n${host}`)
    expect([status, (JSON.parse(body) as { url: string }).url]).toEqual([200, expected])
  })

  it("joins several cookie fields by semicolons and other repeated fields by commas", async () => {
    const address = await serve(describeRequest)
    const head = "GET / HTTP/1.1\r\nhost: a\r\ncookie: a=1\r\nX-Two: 1\r\ncookie: b=2\r\nx-two: 2"
    const { headers } = JSON.parse((await urlFor(address, head)).body) as { headers: Record<string, string> }
    expect(headers).toMatchObject({ cookie: "a=1; b=2", "x-two": "1, 2" })
  })

  it("refuses a request with two hosts or without a host", async () => {
    const address = await serve(describeRequest)
    expect((await urlFor(address, "GET / HTTP/1.1\r\nhost: a\r\nhost: b")).status).toBe(400)
    expect((await urlFor(address, "GET / HTTP/1.1")).status).toBe(400)
  })

  it("refuses a method that a web-standard request cannot have", async () => {
    const address = await serve(describeRequest)
    const { status, body } = await urlFor(address, "TRACE / HTTP/1.1\r\nhost: a")
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: "invalid_argument" }])
  })

  it("shows the Node request of a request, with the address of the client", async () => {
    let seen: unknown
    const address = await serve(
      async (request) => {
        const incoming = incomingMessageOf(request)!
        seen = [incoming.socket.remoteAddress, (incoming as { user?: string }).user]
        return new Response()
      },
      (incoming) => void Object.assign(incoming, { user: "ada" })
    )
    await fetch(address, { headers: { "x-forwarded-for": "203.0.113.1" } })
    expect(seen).toEqual(["127.0.0.1", "ada"])
    expect(incomingMessageOf(new Request(address))).toBeUndefined()
  })

  it("refuses a body that a body parser has read, and names the mistake", async () => {
    const address = await serve(describeRequest, async (incoming) => void (await text(incoming)))
    const response = await post(address, "{}")
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        error: "internal_error",
        message:
          "The body of this request was read before Mailkeep received the request. Mount Mailkeep before the body parser.",
        correlationId: expect.any(String)
      }
    ])
    expect((await fetch(address)).status).toBe(200)
    expect((await post(address, "")).status).toBe(200)
  })
})

describe("nodeListener, the response", () => {
  it("keeps several cookies apart, and keeps the headers that the framework has set", async () => {
    const address = await serve(
      async () =>
        new Response("done", {
          status: 201,
          headers: [
            ["set-cookie", "a=1"],
            ["set-cookie", "b=2"],
            ["vary", "accept-encoding"]
          ]
        }),
      (_, outgoing) => void outgoing.setHeader("set-cookie", "z=0").setHeader("vary", "origin")
    )
    const response = await fetch(address)
    expect([response.status, response.headers.getSetCookie(), response.headers.get("vary")]).toEqual([
      201,
      ["z=0", "a=1", "b=2"],
      "origin, accept-encoding"
    ])
  })

  it("sends no body in answer to HEAD", async () => {
    const { counts, body } = endless()
    const address = await serve(async () => new Response(body, { headers: { "x-one": "1" } }))
    const response = await fetch(address, { method: "HEAD" })
    expect([response.status, response.headers.get("x-one"), await response.text()]).toEqual([200, "1", ""])
    expect(counts.canceled).toBe(true)
  })

  it("answers 503 with Retry-After and without the text of the failure when the handler rejects", async () => {
    const failures: Array<unknown> = []
    const failure = new Error("secret")
    const address = await serve(() => Promise.reject(failure), undefined, { onError: (cause) => failures.push(cause) })
    const response = await fetch(address)
    const answer = await response.text()
    expect([response.status, (JSON.parse(answer) as { error: string }).error]).toEqual([503, "unavailable"])
    expect(response.headers.get("retry-after")).toBe("1")
    expect(answer).not.toContain("secret")
    expect(failures).toEqual([failure])
  })

  const failing = () => {
    throw new Error("the report failed")
  }
  it.each<[string, () => void, "onError" | "next"]>([
    ["onError throws", failing, "onError"],
    ["onError rejects", async () => failing(), "onError"],
    ["the next function throws", failing, "next"],
    ["the next function rejects", async () => failing(), "next"]
  ])("writes the failure to the console, and causes no unhandled rejection, when %s", async (_, report, from) => {
    const rejected: Array<unknown> = []
    const note = (cause: unknown) => rejected.push(cause)
    process.on("unhandledRejection", note)
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => {
      process.off("unhandledRejection", note)
      print.mockRestore()
    })
    const listener = nodeListener(() => Promise.reject(new Error("broken")), { onError: report })
    const address = await listening((incoming, outgoing) => {
      if (from === "onError") return listener(incoming, outgoing)
      return listener(incoming, outgoing, () => {
        outgoing.writeHead(418).end()
        return report()
      })
    })
    expect((await fetch(address)).status).toBe(from === "onError" ? 503 : 418)
    await vi.waitFor(() => expect(print).toHaveBeenCalledTimes(1))
    await setImmediate()
    expect(rejected).toEqual([])
  })

  it("passes the failure of the handler to the next function of a framework", async () => {
    const failure = new Error("broken")
    const listener = nodeListener(() => Promise.reject(failure))
    const passed: Array<unknown> = []
    const address = await listening((incoming, outgoing) =>
      listener(incoming, outgoing, (cause) => {
        passed.push(cause)
        outgoing.writeHead(418).end()
      })
    )
    expect((await fetch(address)).status).toBe(418)
    expect(passed).toEqual([failure])
  })

  it("cuts the connection when the body of a response fails", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(chunk),
      pull: (controller) => controller.error(new Error("broken"))
    })
    const address = await serve(async () => new Response(body))
    await expect(fetch(address).then((response) => response.text())).rejects.toThrow()
  })

  it("leaves a response alone that the framework has already sent", async () => {
    const { counts, body } = endless()
    const address = await serve(
      async () => new Response(body),
      (_, outgoing) => void outgoing.writeHead(504).end("late")
    )
    const response = await fetch(address)
    expect([response.status, await response.text()]).toEqual([504, "late"])
    await until(() => counts.canceled)
    expect(counts.canceled).toBe(true)
  })
})
