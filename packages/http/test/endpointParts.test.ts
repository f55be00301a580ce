/**
 * The parts of the interface that a product mounts, over real HTTP.
 */
import { testMailLayer, stores } from "@mailkeep/test-support"
import { MailApi } from "../src/index.ts"
import { afterEach, describe, expect, it } from "vitest"
import type { EndpointPart } from "../src/server/endpointParts.ts"
import { apiOf, endpointParts } from "../src/server/endpointParts.ts"
import { fetchHandler } from "../src/server/fetchHandler.ts"
import type { MountedServer } from "./mountedServer.ts"
import { openMountedServer } from "./mountedServer.ts"

const opened: Array<MountedServer> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const mount = async (...options: Parameters<typeof openMountedServer>) => {
  const server = await openMountedServer(...options)
  opened.push(server)
  return server
}

/** One path of each part. */
const pathOf: Readonly<Record<EndpointPart, string>> = {
  send: "/api/v1/emails/messages/msg_x/cancel",
  logs: "/api/v1/emails/logs",
  contacts: "/api/v1/emails/contacts",
  suppressions: "/api/v1/emails/suppressions",
  templates: "/api/v1/emails/templates",
  webhooks: "/api/v1/emails/webhooks",
  domains: "/api/v1/emails/domains"
}

interface Document {
  readonly paths: Readonly<Record<string, object>>
  readonly webhooks?: object
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const documentOf = async (server: MountedServer) => (await (await server.get("/openapi.json")).json()) as Document

describe("endpoints", () => {
  it("has each group of endpoints in exactly one part", () => {
    const groups = endpointParts.flatMap((part) => Object.keys(apiOf([part]).groups))
    expect(groups.toSorted()).toEqual(Object.keys(MailApi.groups).toSorted())
  })

  it.each(endpointParts)("answers only for %s when only that part is mounted", async (part) => {
    const server = await mount({ endpoints: [part] })
    const headers = { authorization: await server.authorization() }
    for (const other of endpointParts) {
      const { status } = await server.get(pathOf[other], { headers })
      // A cancellation is a POST, so its path has another method.
      expect([other, status]).toEqual([other, other !== part ? 404 : other === "send" ? 405 : 200])
    }
    const { paths, tags, webhooks } = await documentOf(server)
    expect(webhooks !== undefined).toBe(part === "webhooks")
    expect(Object.keys(paths)).toContain(pathOf[part].replace("msg_x", "{messageId}"))
    expect(tags.map(({ name }) => name)).toEqual(Object.keys(apiOf([part]).groups))
    for (const path of Object.keys(paths)) {
      const url = path.replaceAll(/\{\w+\}/g, "x")
      expect([path, (await server.get(url, { method: "OPTIONS" })).status]).toEqual([path, 405])
    }
  })

  it("sends and lists messages, and documents only the schemas that these need", async () => {
    const server = await mount({ endpoints: ["send", "logs"] })
    const authorization = await server.authorization()
    expect((await server.send({ authorization })).status).toBe(202)
    const log = await server.get("/api/v1/emails/logs", { headers: { authorization } })
    expect(((await log.json()) as { data: { items: ReadonlyArray<unknown> } }).data.items).toHaveLength(1)
    const { components } = await documentOf(server)
    expect(Object.keys(components.schemas)).toContain("SendEmailRequest")
    expect(Object.keys(components.schemas).filter((name) => /Contact|Template|Webhook/.test(name))).toEqual([])
  })

  it("has the page of the links to unsubscribe, and nothing else when no part is mounted", async () => {
    const server = await mount({ endpoints: [], docs: false })
    const page = await server.get("/unsubscribe/x")
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    const json = { status: 404, type: "application/json" }
    for (const path of [...Object.values(pathOf), "/openapi.json", "/docs"]) {
      const response = await server.get(path, { method: "POST" })
      expect({ status: response.status, type: response.headers.get("content-type") }).toEqual(json)
    }
  })

  it("refuses a part that does not exist", () => {
    const endpoints = ["send", "toString"] as ReadonlyArray<EndpointPart>
    expect(() => fetchHandler(testMailLayer(stores[0]), { endpoints })).toThrow(
      "endpoints must be a list of parts of the interface: send, logs, contacts, suppressions, templates, webhooks, domains."
    )
  })
})
