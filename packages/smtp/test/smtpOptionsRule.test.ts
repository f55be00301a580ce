/**
 * The form of the options of the SMTP transport.
 */
import { Redacted, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SmtpOptions } from "../src/SmtpOptions.ts"
import { settingsOf } from "../src/smtpSettings.ts"

const reasonOf = (options: unknown) => {
  const settings = settingsOf(options as SmtpOptions)
  return Result.isFailure(settings) ? settings.failure.reason : null
}

const auth = { user: "shop", password: Redacted.make("secret") }
const accessToken = () => Promise.resolve(Redacted.make("secret"))

describe("settingsOf", () => {
  it.each<[string, object]>([
    ['"secure" is not an option', { secure: true }],
    ['"dkim" is not an option', { dkim: { privateKey: "secret" } }],
    ["tls must be one of", { tls: true }],
    ["tls must be one of", { tls: { rejectUnauthorized: false } }],
    ["tls must be one of", { tls: "Required" }],
    ["tls must be one of", { tls: "toString" }],
    ['"connectionMax" is not an option of pool', { pool: { connectionMax: 20 } }],
    ["pool must be an object", { pool: 5 }],
    ["pool must be an object", { pool: true }],
    ['"connectionTimeout" is not an option of timeouts', { timeouts: { connectionTimeout: 5 } }],
    ['"rejectunauthorized" is not an option of certificate', { certificate: { rejectunauthorized: false } }],
    ["dsn must be true or false", { dsn: "no" }],
    ["allowPlaintextAuth must be true or false", { allowPlaintextAuth: "false" }],
    ["auth must be an object", { auth: "shop:secret" }],
    ['"pass" is not an option of auth', { auth: { user: "shop", pass: "secret" } }],
    ["auth.password must be text", { auth: { user: "shop" } }],
    ["certificate.ca must be PEM text", { certificate: { ca: 5 } }],
    ["certificate.ca must be PEM text, not the name of a file", { certificate: { ca: "/etc/ssl/ca.pem" } }],
    ["certificate.ca must be PEM text, not the name of a file", { certificate: { ca: ["/etc/ssl/ca.pem"] } }],
    ["or a list of at least one PEM text", { certificate: { ca: [] } }],
    ["auth.accessToken must be a function", { auth: { user: "shop", accessToken: "secret" } }],
    ["auth.accessToken must be a function", { auth: { user: "shop", accessToken: undefined } }],
    ['"password" is not an option of auth', { auth: { ...auth, accessToken } }],
    ["auth.method must be", { auth: { ...auth, method: "CRAM-MD5" } }],
    ["host must be a host name", { host: 5 }]
  ])("refuses the option with the reason: %s (%j)", (reason, options) => {
    const found = reasonOf({ host: "relay.example", ...options })
    expect(found).toContain(reason)
    expect(found).not.toContain("secret")
  })

  it.each([undefined, null, "relay.example"])("refuses %j instead of options", (options) => {
    expect(reasonOf(options)).toBe("give the URL of the relay, or options with its host.")
  })

  it("takes options that are undefined", () => {
    const unset = { tls: undefined, pool: undefined, timeouts: { commandMillis: undefined }, auth: undefined }
    expect(reasonOf({ host: "relay.example", ...unset, dsn: undefined, certificate: undefined })).toBeNull()
  })

  it("takes a password or an access token when the other one is undefined, and leaves the other one out", () => {
    const authOf = (given: unknown) =>
      Result.getOrThrow(settingsOf({ host: "relay.example", auth: given } as SmtpOptions)).auth
    expect(authOf({ ...auth, accessToken: undefined, method: undefined })).toStrictEqual(auth)
    expect(authOf({ user: "shop", accessToken, password: undefined })).toStrictEqual({
      user: "shop",
      token: expect.any(Function)
    })
  })
})
