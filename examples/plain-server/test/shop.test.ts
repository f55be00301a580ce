/**
 * Tests the routes of the product and the mounted interface over real connections.
 */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import type { Mail } from "mailkeep"
import { createApiKey, openShopMail } from "../src/mail.ts"
import { makeShop } from "../src/shop.ts"

let folder = ""
let mail: Mail
let server: Server
let address = ""

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "plain-server-"))
  mail = await openShopMail(join(folder, "shop.db"))
  server = makeShop(mail).listen(0, "127.0.0.1")
  await once(server, "listening")
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

after(async () => {
  server.close()
  server.closeAllConnections()
  await mail.close()
  rmSync(folder, { recursive: true })
})

const order = (number: number, email: string) =>
  fetch(`${address}/orders`, { method: "POST", body: JSON.stringify({ number, email }) })

describe("the product", () => {
  it("answers its own routes beside the mounted interface", async () => {
    const home = await fetch(address)
    deepStrictEqual([home.status, await home.json()], [200, { shop: "open" }])
    strictEqual((await fetch(`${address}/mailbox`)).status, 404)
  })

  it("sends one receipt for an order that is placed twice", async () => {
    const [first, second] = [await order(1, "ada@example.org"), await order(1, "ada@example.org")]
    strictEqual(first.status, 201)
    deepStrictEqual(await first.json(), await second.json())
  })

  it("refuses an order with a wrong address and name the problem", async () => {
    const response = await order(2, "nobody")
    strictEqual(response.status, 400)
    match(((await response.json()) as { readonly error: string }).error, /^to must be an address/)
  })
})

describe("the mounted interface", () => {
  it("refuses a request without an API key", async () => {
    strictEqual((await fetch(`${address}/mail/api/v1/emails/logs`)).status, 401)
  })

  it("accepts a send, and lists it with the receipts of the product", async () => {
    const headers = { authorization: `Bearer ${await createApiKey(mail)}`, "content-type": "application/json" }
    strictEqual((await order(3, "bob@example.org")).status, 201)
    const sent = await fetch(`${address}/mail/api/v1/emails/send`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": "one" },
      body: JSON.stringify({ from: "hi@shop.example", to: "eve@example.org", subject: "By HTTP", text: "Hi" })
    })
    strictEqual(sent.status, 202)
    const log = await fetch(`${address}/mail/api/v1/emails/logs?limit=2`, { headers })
    strictEqual(log.status, 200)
    const text = await log.text()
    match(text, /eve@example\.org/)
    match(text, /bob@example\.org/)
  })

  it("hands the messages over in the background", { timeout: 30_000 }, async () => {
    const headers = { authorization: `Bearer ${await createApiKey(mail)}` }
    strictEqual((await order(4, "zoe@example.org")).status, 201)
    const url = `${address}/mail/api/v1/emails/logs?recipient=zoe@example.org&status=delivered`
    let text = ""
    while (!text.includes("zoe@example.org")) text = await (await fetch(url, { headers })).text()
    match(text, /"delivered"/)
  })
})

describe("the program", () => {
  it("listens until a signal, and ends with the exit code 0", { timeout: 60_000 }, async () => {
    const program = fileURLToPath(new URL("../src/main.ts", import.meta.url))
    const child = spawn(process.execPath, [program, join(folder, "other.db")], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 30_000,
      killSignal: "SIGKILL"
    })
    const lines: Array<string> = []
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line)
      if (line.startsWith("curl")) child.kill("SIGTERM")
    })
    const [code] = (await once(child, "close")) as [number | null]
    deepStrictEqual([lines.length, lines.at(-1), code], [3, "stopped", 0])
  })
})
