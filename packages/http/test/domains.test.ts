/**
 * Domains over real HTTP, checked against a real name server.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createSocket } from "node:dgram"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Resolver } from "node:dns/promises"
import { DnsResolver } from "@mailkeep/core"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { stores } from "@mailkeep/test-support"
import { Context, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer } from "./httpTestServer.ts"

const hasKnot = (() => {
  try {
    execFileSync("knotd", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()
if (!hasKnot)
  process.emitWarning("SKIPPED: no knotd on this machine, so the domain checks do not run against a real name server.")

const freePort = () =>
  new Promise<number>((resolve) => {
    const socket = createSocket("udp4")
    socket.bind(0, "127.0.0.1", () => {
      const { port } = socket.address()
      socket.close(() => resolve(port))
    })
  })

interface Record {
  readonly record_type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
}

/** The form of a zone file: text in strings of at most 255 bytes. */
const line = ({ record_type, name, value, priority }: Record) =>
  record_type === "MX"
    ? `${name}. 60 MX ${priority} ${value}.`
    : `${name}. 60 TXT ${(value.match(/.{1,250}/g) ?? []).map((part) => JSON.stringify(part)).join(" ")}`

/** A name server for one zone. A test can replace the records of the zone. */
const nameServer = async (zone: string) => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-knot-"))
  const port = await freePort()
  const config = join(folder, "knot.conf")
  writeFileSync(
    config,
    `server:\n  rundir: ${folder}\n  listen: 127.0.0.1@${port}\ndatabase:\n  storage: ${folder}\nzone:\n  - domain: ${zone}\n    storage: ${folder}\n    file: zone\n    semantic-checks: off\n`
  )
  let serial = 0
  const write = (records: ReadonlyArray<Record>) =>
    writeFileSync(
      join(folder, "zone"),
      `${[`${zone}. 60 SOA ns.${zone}. root.${zone}. ${++serial} 60 60 60 0`, `${zone}. 60 NS ns.${zone}.`, `ns.${zone}. 60 A 127.0.0.1`, ...records.map(line)].join("\n")}\n`
    )
  write([])
  const start = () => spawn("knotd", ["-c", config], { stdio: "ignore" })
  let server = start()
  const at = `127.0.0.1:${port}`
  const answers = async () => {
    const resolver = new Resolver({ timeout: 1000, tries: 1 })
    resolver.setServers([at])
    for (let n = 0; n < 600; n++) {
      if (
        await resolver.resolveSoa(zone).then(
          ({ serial: shown }) => shown === serial,
          () => false
        )
      )
        return
      await pause(50)
    }
    throw new Error("The name server does not answer.")
  }
  await answers()
  const ended = () => new Promise((resolve) => server.once("exit", resolve))
  return {
    at,
    publish: async (records: ReadonlyArray<Record>) => {
      const gone = ended()
      server.kill("SIGKILL")
      await gone
      write(records)
      server = start()
      await answers()
    },
    close: async () => {
      const gone = ended()
      server.kill("SIGKILL")
      await gone
      rmSync(folder, { recursive: true })
    }
  }
}

const dnsAt = (server: string) =>
  Effect.runSync(
    Effect.scoped(
      Effect.map(
        Layer.build(NodeDnsResolver.layer({ servers: [server], timeoutMillis: 3000 })),
        Context.get(DnsResolver)
      )
    )
  )

describe.skipIf(!hasKnot)("domains, with a real name server", () => {
  let wire: HttpTestServer
  let names: Awaited<ReturnType<typeof nameServer>>
  beforeAll(async () => {
    names = await nameServer("shop.example")
    wire = await openHttpTestServer(stores[1], {
      dns: dnsAt(names.at),
      domains: { mailHost: { host: "mx.shop.example", returnPathLabel: "bounces" } }
    })
  })
  afterAll(async () => {
    await wire.close()
    await names.close()
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
    await names.publish(data.dns_records)
    const verified = await verify()
    expect(verified).toMatchObject({ status: "verified", verification_error: null, verification_attempts: 2 })
    expect(new Set(verified.dns_records.map((one: { status: string }) => one.status))).toEqual(new Set(["verified"]))

    const [, spf, ...rest] = data.dns_records
    await names.publish([{ ...spf, value: "v=spf1 -all" }, ...rest])
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
    const real = dnsAt(names.at)
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
