import { isLoopbackHost } from "@mailkeep/core/adapter"
import { Redacted, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SmtpTransport } from "../src/index.ts"
import { canonicalHost } from "../src/canonicalHost.ts"
import { settingsOf } from "../src/smtpSettings.ts"

const { parseSmtpUrl } = SmtpTransport

/** The options of a URL with the password in plain form, or the reason why it has none. */
const shown = (url: string): unknown =>
  Result.match(parseSmtpUrl(url), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ auth, ...rest }) =>
      auth === undefined || "accessToken" in auth ? rest : { ...rest, auth: [auth.user, Redacted.value(auth.password)] }
  })

const form = "the URL must have the form smtp://user:password@host:port or smtps://user:password@host:port."
const path = "the URL may have no path and no fragment. Encode /, ? and # in the password as %2F, %3F and %23."
const options = "the URL may have only the options tls, verify, name, each once."
const tls = "the option tls of the URL must be required, opportunistic or off, and smtps has none."

describe("parseSmtpUrl", () => {
  it.each<[string, unknown]>([
    ["smtp://relay.example", { host: "relay.example" }],
    ["smtp://relay.example/", { host: "relay.example" }],
    ["smtp://relay.example:2525", { host: "relay.example", port: 2525 }],
    ["smtps://relay.example", { host: "relay.example", tls: "implicit" }],
    ["SMTP://relay.example?tls=off", { host: "relay.example", tls: "off" }],
    ["smtp://[::1]:25?tls=opportunistic", { host: "[::1]", port: 25, tls: "opportunistic" }],
    [
      "smtp://u:p@h?verify=off&name=me.example",
      { host: "h", auth: ["u", "p"], certificate: { rejectUnauthorized: false }, clientName: "me.example" }
    ],
    ["smtp://a%40b.example:p%2F%3F%23%25@h", { host: "h", auth: ["a@b.example", "p/?#%"] }],
    ["smtp://u:p@ss@h", { host: "h", auth: ["u", "p@ss"] }],
    ["", form],
    ["relay.example", form],
    ["http://relay.example", form],
    ["smtp://", "the URL must have a host."],
    ["smtp://u:s3/cret@h", form],
    ["smtp://u:12/cret@h", path],
    ["smtp://u:pa#ss@h", form],
    ["smtp://h#x", path],
    ["smtp://h?secret=1", options],
    ["smtp://h?tls=off&tls=required", options],
    ["smtp://h?tls=maybe", tls],
    ["smtps://h?tls=off", tls],
    ["smtp://h?verify=maybe", "the option verify must be on or off."],
    ["smtp://u@h", "the URL must have a user and a password, or neither of them."],
    ["smtp://:p@h", "the URL must have a user and a password, or neither of them."],
    ["smtp://u:%zz@h", "the user or the password of the URL has a % without two hexadecimal digits; write %25 for it."]
  ])("reads %j", (url, expected) => {
    expect(shown(url)).toEqual(expected)
  })

  it("reads every user and password that is percent-encoded", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => value.isWellFormed())
    fc.assert(
      fc.property(text, text, (user, password) => {
        expect(shown(`smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@h`)).toEqual({
          host: "h",
          auth: [user, password]
        })
      })
    )
  })

  it("shows no part of a wrong URL", () => {
    fc.assert(
      fc.property(fc.string(), (noise) => {
        const failure = Result.getFailure(parseSmtpUrl(`smtp://user:${noise}canary${noise}@relay:x${noise}`))
        expect(JSON.stringify(failure)).not.toContain("canary")
      })
    )
  })
})

/** The settings of the options, or the reason against them. */
const settings = (given: Partial<SmtpTransport.SmtpOptions>) =>
  Result.match(settingsOf({ host: "relay.example", ...given }), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ port, tls, allowPlaintextAuth }) => ({ port, tls, allowPlaintextAuth })
  })

const auth = { user: "u", password: Redacted.make("p") }

describe("the options", () => {
  it.each<[Partial<SmtpTransport.SmtpOptions>, unknown]>([
    [{}, { port: 587, tls: "required", allowPlaintextAuth: false }],
    [{ tls: "implicit" }, { port: 465, tls: "implicit", allowPlaintextAuth: false }],
    [{ host: "localhost" }, { port: 587, tls: "off", allowPlaintextAuth: true }],
    [
      { host: "[::1]", auth },
      { port: 587, tls: "required", allowPlaintextAuth: true }
    ],
    [
      { host: "127.0.0.1", auth, tls: "off" },
      { port: 587, tls: "off", allowPlaintextAuth: true }
    ],
    [
      { auth, tls: "off", allowPlaintextAuth: true },
      { port: 587, tls: "off", allowPlaintextAuth: true }
    ],
    [
      { auth, tls: "off" },
      'credentials are not sent without encryption. Choose another tls than "off", or set allowPlaintextAuth.'
    ],
    [{ host: "" }, "host must be a host name or an IP address."],
    [{ host: "a b" }, "host must be a host name or an IP address."],
    [{ port: 0 }, "port must be a whole number from 1 to 65535."],
    [{ port: 1.5 }, "port must be a whole number from 1 to 65535."],
    [{ clientName: "a\r\nMAIL FROM:<x>" }, "clientName must be a host name."],
    [{ pool: { connectionsMax: 0 } }, "pool.connectionsMax must be a whole number from 1 to 9007199254740991."],
    [
      { timeouts: { endOfDataReplyMillis: 2 ** 31 } },
      "timeouts.endOfDataReplyMillis must be a whole number from 1 to 2147483647."
    ],
    [{ maxMessageBytes: -1 }, "maxMessageBytes must be a whole number from 1 to 9007199254740991, or null."],
    [{ auth: { user: "", password: auth.password } }, "auth.user must be text of at least one character."],
    [{ auth: { user: "u", password: Redacted.make("") } }, "auth.password must be text of at least one character."],
    [{ auth: { user: "u", password: "p" as never } }, "auth.password must be redacted; wrap it with Redacted.make."]
  ])("makes settings of the options, or refuses them: %j", (given, expected) => {
    expect(settings(given)).toEqual(expected)
  })

  it.each([
    ["localhost", true],
    ["a.localhost", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["127.0.0.1.evil.example", false],
    ["10.0.0.1", false],
    ["localhost.evil.example", false]
  ])("takes %s for this machine: %s", (host, expected) => {
    expect(isLoopbackHost(canonicalHost(host))).toBe(expected)
  })
})
