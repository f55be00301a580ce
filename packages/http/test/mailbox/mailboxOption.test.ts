/**
 * When a server has a mailbox: its option, and the kind of its transport.
 */
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { openTestMail, stores } from "@mailkeep/test-support"
import { Transport } from "@mailkeep/core"
import { MailCapture } from "@mailkeep/core/binding"
import { Context } from "effect"
import { describe, expect, it } from "vitest"
import { checkedMailbox } from "../../src/mailbox/mailboxOption.ts"
import { nodeListener } from "../../src/node.ts"
import { fetchHandler } from "../../src/server/fetchHandler.ts"

describe("the option mailbox", () => {
  it("answers with status 404 below /mailbox when it is not set", async () => {
    const mail = await openTestMail(stores[0])
    const { handler, dispose } = fetchHandler(await mail.context())
    expect((await handler(new Request("http://localhost/mailbox"))).status).toBe(404)
    await dispose()
    await mail.dispose()
  })

  it("follows the mount path, and refuses a client of another machine behind the listener", async () => {
    const mail = await openTestMail(stores[0])
    const { handler, dispose } = fetchHandler(await mail.context(), { basePath: "/mail", mailbox: true })
    const listener = createServer(nodeListener(handler)).listen(0, "127.0.0.1")
    await once(listener, "listening")
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mail/mailbox`
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('action="/mail/mailbox/next"')])
    expect((await fetch(url, { headers: { "x-forwarded-for": "203.0.113.9" } })).status).toBe(403)
    expect((await handler(new Request("http://acme.example/mail/mailbox"))).status).toBe(403)
    listener.close()
    listener.closeAllConnections()
    await dispose()
    await mail.dispose()
  })

  it("shows that there is no mailbox when the transport keeps no mail", async () => {
    const mail = await openTestMail(stores[0])
    const context = await mail.context()
    const real = Context.omit(MailCapture)(context) as typeof context
    const { handler, dispose } = fetchHandler(real, { mailbox: true })
    const answer = await handler(new Request("http://localhost/mailbox", { headers: { host: "localhost" } }))
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining("The transport of this core keeps no mail.")
    ])
    expect(Context.get(real, Transport).capabilities.confirmsDelivery).toBe(true)
    await dispose()
    await mail.dispose()
  })

  it.each([
    [false, "production", false],
    [true, "development", true],
    [true, undefined, true],
    ["also in production", "production", true]
  ] as const)("turns the option mailbox %j with NODE_ENV %j into %j", (option, nodeEnv, isOn) => {
    expect(checkedMailbox(option, nodeEnv)).toBe(isOn)
  })

  it("throws in production unless the option says so", () => {
    expect(() => checkedMailbox(true, "production")).toThrow(/NODE_ENV=production/)
    expect([checkedMailbox(true, "test"), checkedMailbox("also in production", "production")]).toEqual([true, true])
  })

  it.each(["test", "production"])(
    "throws for another value with NODE_ENV=%s, instead of serving the mailbox",
    (nodeEnv) => {
      for (const option of ["yes", "true", 1, null])
        expect(() => checkedMailbox(option as never, nodeEnv)).toThrow(
          new TypeError('mailbox must be true, false or "also in production".')
        )
    }
  )
})
