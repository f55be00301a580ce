import { once } from "node:events"
import { Resolver } from "node:dns/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { freePort } from "../src/freePort.ts"
import { isNameServerInstalled, startNameServer } from "../src/nameServer.ts"

const hasNameServer = isNameServerInstalled()
if (!hasNameServer)
  process.emitWarning("SKIPPED: no knotd on this machine, so the name server of the tests is not tested.")

const text = (value: string) => ({ type: "TXT", name: "a.shop.example", value, priority: null })

describe.skipIf(!hasNameServer)("the name server of the tests", () => {
  it("takes another port when another program listens on the first one", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as AddressInfo
    const ports = [port]
    await using server = await startNameServer("shop.example", [], async () => ports.pop() ?? freePort())
    expect(server.address).not.toBe(`127.0.0.1:${port}`)
    taken.close()
  })

  it("answers with the records that were published last", async () => {
    await using server = await startNameServer("shop.example", [text("first")])
    const resolver = new Resolver()
    resolver.setServers([server.address])
    expect(await resolver.resolveTxt("a.shop.example")).toEqual([["first"]])
    await server.publish([text("second")])
    expect(await resolver.resolveTxt("a.shop.example")).toEqual([["second"]])
  })
})
