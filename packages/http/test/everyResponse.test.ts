/**
 * Properties of every response, whatever the endpoint.
 */
import { connect } from "node:net"
import { stores } from "@mailkeep/test-support"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, openHttpTestServer } from "./httpTestServer.ts"

interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>
}

describe.each(stores)("every response, over $name", (store) => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())

  it("carries the correlation id of the request, or a new one, in every response", async () => {
    const adopted = await wire.call("/emails/domains?x=1", { headers: { "x-request-id": "abc-123_X" } })
    expect(adopted.body.correlationId).toBe("abc-123_X")
    for (const header of ["x-request-id", "x-correlation-id"]) expect(adopted.headers.get(header)).toBe("abc-123_X")
    const own = await wire.call("/nowhere", { headers: { "x-request-id": "not valid!" } })
    expect(own.body.correlationId).toMatch(/^[0-9a-f-]{36}$/)
    expect(own.headers.get("x-request-id")).toBe(own.body.correlationId)
    expect((await wire.call("/emails/domains")).headers.get("x-correlation-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("answers 404 for an unknown path and 405 with Allow for a wrong method", async () => {
    expect(await wire.call("/nowhere")).toMatchObject(error(404, "not_found"))
    for (const path of ["/emails/domains/", "//emails/domains", "/Emails/domains"])
      expect(await wire.call(path)).toMatchObject(error(404, "not_found"))
    expect((await wire.call(`/emails/logs/${"x".repeat(2000)}`, { key: null })).status).toBe(401)
    expect((await wire.call(`/emails/logs/${"x".repeat(2000)}`, { method: "DELETE" })).status).toBe(405)
    expect(await wire.call("/emails/logs/%zz")).toMatchObject(error(404, "not_found"))
    for (const path of ["/emails/logs;limit=1", "/emails/contacts/con_1;x", "/emails/contacts/con_1;limit=1?"])
      expect(await wire.call(path)).toMatchObject(error(404, "not_found"))
    const wrong = await wire.call("/emails/send")
    expect(wrong).toMatchObject(error(405, "method_not_allowed"))
    expect(wrong.headers.get("allow")).toBe("POST")
    expect((await wire.call("/emails/contacts", { method: "DELETE" })).headers.get("allow")).toMatch(
      /POST.*GET|GET.*POST/
    )
  })

  it.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["a header without an end", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431]
  ])("answers %s in the format of every refusal", async (_, bytes, status) => {
    const socket = connect(Number(new URL(wire.url).port), "127.0.0.1")
    socket.write(bytes)
    let text = ""
    for await (const chunk of socket) text += String(chunk)
    const [head, body] = text.slice(text.lastIndexOf("HTTP/1.1 ")).split("\r\n\r\n")
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-request-id: `))
    expect(head).toMatch(/\r\nx-content-type-options: nosniff\r\n/)
    expect(JSON.parse(body!)).toMatchObject({ error: "invalid_argument", correlationId: expect.any(String) })
  })

  it("answers HEAD like GET, without a body", async () => {
    const response = await fetch(`${wire.url}/api/v1/emails/domains`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${wire.key}` }
    })
    expect([response.status, await response.text()]).toEqual([200, ""])
  })

  it("serves an OpenAPI document with every path", async () => {
    const document = (await (await fetch(`${wire.url}/openapi.json`)).json()) as OpenApiDocument
    expect(document.openapi).toMatch(/^3\.1/)
    expect(Object.keys(document.paths).toSorted()).toEqual([
      "/api/v1/emails/batch",
      "/api/v1/emails/contacts",
      "/api/v1/emails/contacts/{contactId}",
      "/api/v1/emails/domains",
      "/api/v1/emails/domains/{id}",
      "/api/v1/emails/domains/{id}/verify",
      "/api/v1/emails/lists",
      "/api/v1/emails/lists/{id}",
      "/api/v1/emails/lists/{id}/contacts/{contactId}",
      "/api/v1/emails/logs",
      "/api/v1/emails/logs/{deliveryId}",
      "/api/v1/emails/messages/{messageId}",
      "/api/v1/emails/messages/{messageId}/cancel",
      "/api/v1/emails/properties",
      "/api/v1/emails/properties/{id}",
      "/api/v1/emails/segments",
      "/api/v1/emails/segments/{id}",
      "/api/v1/emails/send",
      "/api/v1/emails/suppressions",
      "/api/v1/emails/suppressions/{email}",
      "/api/v1/emails/templates",
      "/api/v1/emails/templates/{id}",
      "/api/v1/emails/templates/{id}/preview",
      "/api/v1/emails/templates/{id}/publish",
      "/api/v1/emails/templates/{id}/variables",
      "/api/v1/emails/templates/{id}/versions",
      "/api/v1/emails/webhooks",
      "/api/v1/emails/webhooks/{id}",
      "/api/v1/emails/webhooks/{id}/deliveries",
      "/api/v1/emails/webhooks/{id}/deliveries/{eventDeliveryId}/replay",
      "/api/v1/emails/webhooks/{id}/rotate-secret",
      "/api/v1/emails/webhooks/{id}/test"
    ])
    expect(Object.keys(document.paths["/api/v1/emails/send"]!["post"]!.responses).toSorted()).toEqual([
      "202",
      "400",
      "401",
      "403",
      "408",
      "413",
      "429",
      "500",
      "503"
    ])
    expect((await fetch(`${wire.url}/docs`)).headers.get("content-type")).toContain("text/html")
  })

  it("answers within five seconds when a body is declared too large and does not arrive", async () => {
    const socket = connect(Number(new URL(wire.url).port), "127.0.0.1")
    const head = [
      "POST /api/v1/emails/send HTTP/1.1",
      "host: x",
      `authorization: Bearer ${wire.key}`,
      "content-type: application/json",
      "idempotency-key: slow",
      "content-length: 60000000"
    ]
    socket.write(`${head.join("\r\n")}\r\n\r\n"x`)
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk)))
    await expect
      .poll(async () => {
        await wire.run(TestClock.adjust("5 seconds"))
        return text
      })
      .toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })
})
