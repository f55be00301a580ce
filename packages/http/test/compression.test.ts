/**
 * The compression of responses, on the Node server and in the fetch handler.
 */
import { syncBuiltinESMExports } from "node:module"
import zlib, { brotliDecompressSync, gunzipSync } from "node:zlib"
import { openTestMail, sendInput, stores } from "@mailkeep/test-support"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MailServer } from "../src/index.ts"
import { getRequest, rawClient } from "./rawClient.ts"
import type { HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer, postSend } from "./httpTestServer.ts"

const [store] = stores

let wire: HttpTestServer
beforeAll(async () => {
  wire = await openHttpTestServer(store!)
  for (let sent = 0; sent < 20; sent++) await postSend(wire, sendInput())
})
afterAll(() => wire.close())

const get = async (path: string, fields: string) => {
  const client = await rawClient(wire.url)
  client.send(getRequest(wire.key, path, `connection: close\r\n${fields}`))
  const [answer] = await client.closed
  return answer!
}
const encodingOf = (head: string) => /^content-encoding: (.*)$/im.exec(head)?.[1]

describe("large responses", () => {
  it.each([
    ["gzip", "gzip", gunzipSync],
    ["br", "br", brotliDecompressSync],
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ["*", "br", brotliDecompressSync]
  ])("compresses a response over 1 KiB for Accept-Encoding %s", async (accepted, used, decompress) => {
    const plain = await get("/emails/logs", "")
    const { head, body } = await get("/emails/logs", `accept-encoding: ${accepted}\r\n`)
    expect(encodingOf(head)).toBe(used)
    expect(head).toMatch(/^vary: accept-encoding$/im)
    expect(body.length).toBeLessThan(plain.body.length / 2)
    expect(JSON.parse(decompress(Buffer.from(body, "latin1")).toString())).toEqual(JSON.parse(plain.body))
  })

  it.each([
    ["none", ""],
    ["identity", "accept-encoding: identity\r\n"],
    ["gzip;q=0", "accept-encoding: gzip;q=0\r\n"]
  ])("sends a response over 1 KiB uncompressed for Accept-Encoding %s", async (_, fields) => {
    const { head, body } = await get("/emails/logs", fields)
    expect(encodingOf(head)).toBeUndefined()
    expect(head).toMatch(/^vary: accept-encoding$/im)
    expect(JSON.parse(body).data.items).toHaveLength(20)
  })

  it("compresses a response over 1 KiB in the fetch handler", async () => {
    const mail = await openTestMail(store!)
    const { handler, dispose } = MailServer.fetchHandler(Layer.succeedContext(await mail.context()))
    const response = await handler(new Request("http://x/openapi.json", { headers: { "accept-encoding": "gzip" } }))
    expect(response.headers.get("content-encoding")).toBe("gzip")
    const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString()
    expect(JSON.parse(text)).toMatchObject({ openapi: expect.any(String) })
    await dispose()
    await mail.dispose()
  })
})

/** Counts the bodies that zlib compresses while `run` runs. */
const countCompressions = async (run: () => Promise<unknown>): Promise<number> => {
  const { brotliCompress } = zlib
  let count = 0
  const counted = (...parameters: Parameters<typeof brotliCompress>) => {
    count++
    brotliCompress(...parameters)
  }
  zlib.brotliCompress = counted as typeof brotliCompress
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    zlib.brotliCompress = brotliCompress
    syncBuiltinESMExports()
  }
  return count
}

describe("pages that never change", () => {
  it.each(["/docs", "/openapi.json"])("compresses %s once for all requests", async (path) => {
    const getPage = (coding: string) => fetch(`${wire.url}${path}`, { headers: { "accept-encoding": coding } })
    const pages: Array<Response> = []
    const count = await countCompressions(async () => {
      pages.push(...(await Promise.all([getPage("br"), getPage("br"), getPage("br")])), await getPage("br"))
    })
    expect(count).toBe(1)
    const plain = await (await getPage("identity")).text()
    for (const page of pages) {
      expect(page.headers.get("content-encoding")).toBe("br")
      expect(page.headers.get("vary")).toBe("Accept-Encoding")
      expect(Number(page.headers.get("content-length"))).toBeLessThan(plain.length / 2)
      expect(await page.text()).toBe(plain)
    }
  })
})

describe("other responses", () => {
  it("sends a response of at most 1 KiB uncompressed", async () => {
    expect(encodingOf((await get("/emails/domains?x=1", "accept-encoding: gzip\r\n")).head)).toBeUndefined()
  })

  it("sends the response to HEAD without a content coding", async () => {
    const response = await fetch(`${wire.url}/api/v1/emails/logs`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${wire.key}`, "accept-encoding": "gzip" }
    })
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, null])
  })

  it("sends a response with a secret uncompressed and forbids caches to store it", async () => {
    const url = `https://example.com/${"x".repeat(1500)}`
    const body = { url, events: ["email.delivered"] }
    const headers = { "accept-encoding": "gzip" }
    const made = await wire.call("/emails/webhooks", { method: "POST", body, headers })
    expect(made.status).toBeLessThan(300)
    const rotated = await wire.call(`/emails/webhooks/${made.body.data.id}/rotate-secret`, { method: "POST", headers })
    for (const response of [made, rotated]) {
      expect(response.text.length).toBeGreaterThan(1024)
      expect(response.headers.get("content-encoding")).toBeNull()
      expect(response.headers.get("cache-control")).toBe("no-store, no-transform")
    }
  })
})
