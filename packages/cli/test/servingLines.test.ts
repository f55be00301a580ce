/**
 * What `mailkeep serve` and `mailkeep start` print once they listen.
 */
import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { mailboxUrl, servingLines, transportName } from "../src/commands/servingLines.ts"

const url = "http://127.0.0.1:8080"
const relay = Redacted.make("smtp://shop:secret@relay.example:587")

describe("servingLines", () => {
  it("says that no mail leaves when the transport is the stub", () => {
    expect(servingLines(url, {}, "stub").split("\n")).toEqual([
      "Mailkeep listens on http://127.0.0.1:8080",
      "The stub transport sends nothing. Give --transport to send mail."
    ])
  })

  it("prints only the addresses when mail goes to a relay", () => {
    const ports = { bounces: "127.0.0.1:2525", smtp: "127.0.0.1:2587", operations: "http://127.0.0.1:9464" }
    expect(servingLines(url, ports, relay).split("\n")).toEqual([
      "Mailkeep listens on http://127.0.0.1:8080",
      "Bounces and complaints: smtp://127.0.0.1:2525",
      "Mail from products (user apikey): smtp://127.0.0.1:2587",
      "Health and metrics: http://127.0.0.1:9464/health and http://127.0.0.1:9464/metrics"
    ])
  })
})

describe("transportName", () => {
  it("names the kind of the transport, and not the URL of the relay", () => {
    expect([transportName("stub"), transportName(relay)]).toEqual(["stub", "smtp"])
  })
})

describe("mailboxUrl", () => {
  it.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/mailbox"],
    ["http://[::1]:8080", "http://[::1]:8080/mailbox"],
    ["http://localhost:8080", "http://localhost:8080/mailbox"],
    ["http://0.0.0.0:8080", "http://localhost:8080/mailbox"],
    ["http://[::]:8080", "http://localhost:8080/mailbox"],
    ["http://192.0.2.7:8080", null],
    ["http://mail.example:8080", null]
  ])("names for a server at %s the address %s", (server, mailbox) => {
    expect(mailboxUrl(server)).toBe(mailbox)
  })
})
