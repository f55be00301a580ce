/**
 * Domains over real HTTP, checked against a real name server.
 */
import { DnsResolver } from "@mailkeep/core"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { stores } from "@mailkeep/test-support"
import { freePort } from "@mailkeep/test-support/freePort"
import type { NameServer, PrintedRecord } from "@mailkeep/test-support/nameServer"
import { isNameServerInstalled, startNameServer } from "@mailkeep/test-support/nameServer"
import { Context, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer } from "./httpTestServer.ts"

const hasNameServer = isNameServerInstalled()
if (!hasNameServer)
  process.emitWarning("SKIPPED: no knotd on this machine, so the domain checks do not run against a real name server.")

interface ApiRecord extends Omit<PrintedRecord, "type"> {
  readonly record_type: string
}

const printed = ({ record_type, name, value, priority }: ApiRecord): PrintedRecord => ({
  type: record_type,
  name,
  value,
  priority
})

const dnsAt = (server: string) =>
  Effect.runSync(
    Effect.scoped(
      Effect.map(
        Layer.build(NodeDnsResolver.layer({ servers: [server], timeoutMillis: 3000 })),
        Context.get(DnsResolver)
      )
    )
  )

describe.skipIf(!hasNameServer)("domains, with a real name server", () => {
  let wire: HttpTestServer
  let names: NameServer
  beforeAll(async () => {
    names = await startNameServer("shop.example")
    wire = await openHttpTestServer(stores[1], {
      dns: dnsAt(names.address),
      domains: { mailHost: { host: "mx.shop.example", returnPathLabel: "bounces" } }
    })
  })
  afterAll(async () => {
    await wire.close()
    await names[Symbol.asyncDispose]()
  })

  it("verifies a domain when its DNS records are published, and fails it when a record is missing", async () => {
    const post = (path: string, body?: unknown) => wire.call(path, { method: "POST", body })
    const { body, status } = await post("/emails/domains", { domain: "Shop.example" })
    expect(status).toBe(200)
    const { data } = body
    expect(data).toMatchObject({ domain: "shop.example", status: "pending", verification_attempts: 0 })
    expect(data.dns_records).toHaveLength(4)
    expect(data.dns_records[0]).toEqual({
      id: expect.stringMatching(/^rec_/),
      purpose: "dkim",
      record_type: "TXT",
      name: "mailkeep._domainkey.shop.example",
      value: expect.stringMatching(/^v=DKIM1; k=rsa; p=/),
      priority: null,
      status: "not_started",
      required_for_sending: true,
      last_checked_at: null,
      error_code: null,
      error_message: null
    })
    expect(await post("/emails/domains", { domain: "shop.example" })).toMatchObject(error(409, "duplicate_error"))
    const verify = async () => (await post(`/emails/domains/${data.id}/verify`)).body.data

    expect(await verify()).toMatchObject({
      status: "failed",
      verification_error: expect.stringContaining("mailkeep._domainkey.shop.example"),
      dns_records: [{ status: "failed", error_code: "nxdomain" }, { status: "failed" }, { status: "failed" }, {}]
    })
    await names.publish(data.dns_records.map(printed))
    const verified = await verify()
    expect(verified).toMatchObject({ status: "verified", verification_error: null, verification_attempts: 2 })
    expect(new Set(verified.dns_records.map((one: { status: string }) => one.status))).toEqual(new Set(["verified"]))

    const [, spf, ...rest] = data.dns_records
    await names.publish([{ ...spf, value: "v=spf1 -all" }, ...rest].map(printed))
    expect(await verify()).toMatchObject({
      status: "verified",
      dns_records: [
        { error_code: "nxdomain" },
        { error_code: "wrong_value" },
        { status: "verified" },
        { status: "verified" }
      ]
    })
    expect((await wire.call(`/emails/domains/${data.id}`)).body.data.verification_attempts).toBe(3)
  })

  it("distinguishes a name server that does not answer from a name that does not exist", async () => {
    const silent = dnsAt(`127.0.0.1:${await freePort()}`)
    expect(await Effect.runPromise(Effect.flip(silent.texts("a.shop.example")))).toMatchObject({ definite: false })
    const real = dnsAt(names.address)
    expect(await Effect.runPromise(Effect.flip(real.texts("nowhere.shop.example")))).toMatchObject({
      definite: true,
      code: "nxdomain"
    })
    expect(await Effect.runPromise(Effect.flip(real.exchanges("ns.shop.example")))).toMatchObject({
      definite: true,
      code: "nodata"
    })
    expect(await Effect.runPromise(Effect.flip(real.texts("another.example")))).toMatchObject({
      definite: false,
      code: "refused"
    })
  })
})

describe("domains, over the wire", () => {
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(stores[0])
  })
  afterAll(() => wire.close())

  it("refuses an invalid domain and answers 404 for an unknown or deleted domain", async () => {
    const add = (body: unknown) => wire.call("/emails/domains", { method: "POST", body })
    expect(await add({ domain: "not a domain" })).toMatchObject(invalid("body", [["domain"], "invalid_value"]))
    expect(await add({})).toMatchObject(invalid("body", [["domain"], "required"]))
    for (const method of ["GET", "DELETE"])
      expect(await wire.call("/emails/domains/dom_none", { method })).toMatchObject(error(404, "not_found"))
    expect(await wire.call("/emails/domains/dom_none/verify", { method: "POST" })).toMatchObject(
      error(404, "not_found")
    )
    const { body } = await add({ domain: "gone.example" })
    expect((await wire.call(`/emails/domains/${body.data.id}`, { method: "DELETE" })).body).toEqual({ success: true })
    expect((await wire.call(`/emails/domains/${body.data.id}`)).status).toBe(404)
  })
})
