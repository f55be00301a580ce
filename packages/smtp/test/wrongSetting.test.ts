/**
 * Tests which faults of the relay name a setting that somebody must correct.
 */
import type { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import type { SmtpOptions } from "../src/index.ts"
import { handOff, withRelay } from "./handOffHarness.ts"
import type { RelaySetup } from "./ScriptedRelay.ts"
import { testCertificate } from "./testCertificate.ts"

const password = { user: "shop", password: Redacted.make("secret") }
const startTls = { tls: "required", certificate: { ca: testCertificate } } as const
const dropsAt = (step: string): RelaySetup => ({ act: (at) => (at === step ? "drop" : undefined) })

describe("a hand-off to a relay with a wrong setting", () => {
  it.each<[fault: string, relay: RelaySetup, options: Partial<SmtpOptions>, wrongSetting: string | undefined]>([
    ["a certificate of an unknown authority", { keywords: ["STARTTLS"] }, { tls: "required" }, "certificate"],
    [
      "a relay without STARTTLS",
      { act: (at) => (at === "starttls" ? { reply: "502 5.5.1 What" } : undefined) },
      startTls,
      "encryption"
    ],
    ["plain text on a port for implicit TLS", {}, { tls: "implicit" }, "encryption"],
    ["a relay that accepts no password", {}, { auth: password, allowPlaintextAuth: true }, "login"],
    [
      "a password without encryption",
      { keywords: ["AUTH PLAIN"] },
      { auth: password, tls: "opportunistic", allowPlaintextAuth: false },
      "encryption"
    ],
    [
      "an access token that the product does not have",
      { keywords: ["AUTH XOAUTH2"] },
      { auth: { user: "shop", accessToken: () => Promise.reject(new Error("secret")) }, allowPlaintextAuth: true },
      "login"
    ],
    [
      "a relay that does not encrypt for now",
      { keywords: ["STARTTLS"], act: (at) => (at === "starttls" ? { reply: "454 4.7.0 Not now" } : undefined) },
      startTls,
      undefined
    ],
    ["a lost connection", dropsAt("greeting"), {}, undefined],
    [
      "a connection that is lost in the handshake",
      { keywords: ["STARTTLS"], ...dropsAt("handshake") },
      startTls,
      undefined
    ]
  ])("names the setting for %s", (_, relay, options, wrongSetting) =>
    withRelay(relay, options, async ({ transport }) => {
      const failure = await Effect.runPromise(Effect.flip(transport.handOff(handOff())))
      expect((failure as TransportUnavailable).wrongSetting).toBe(wrongSetting)
    })
  )
})

describe("a function of the access token that fails", () => {
  const hidden = Redacted.make("token")
  const failing = () => Promise.reject<Redacted.Redacted<string>>(new Error("secret"))

  it("shows a wrong login after five failures in a row, and not before", () => {
    const answers = [true, false, false, true, false, false, false, false, false, true, false]
    const accessToken = () => (answers.shift() ? Promise.resolve(hidden) : failing())
    const options = { auth: { user: "shop", accessToken }, allowPlaintextAuth: true, pool: { handOffsMax: 1 } } as const
    return withRelay({ keywords: ["AUTH XOAUTH2"] }, options, async ({ transport }) => {
      const shown: Array<string | undefined> = []
      while (answers.length > 0)
        shown.push(
          await Effect.runPromise(
            transport.handOff(handOff()).pipe(
              Effect.map(({ _tag }) => _tag),
              Effect.catch((failure) => Effect.succeed((failure as TransportUnavailable).wrongSetting))
            )
          )
        )
      const [once, twice] = [[undefined], [undefined, undefined]]
      expect(shown).toEqual(["Accepted", ...twice, "Accepted", ...twice, ...twice, "login", "Accepted", ...once])
    })
  })

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["an empty token", Redacted.make("")],
    ["a token that may be logged", "token"]
  ])("counts as one that fails when it returns %s", (_, token) => {
    const accessToken = () => Promise.resolve(token as Redacted.Redacted<string>)
    const options = { auth: { user: "shop", accessToken }, allowPlaintextAuth: true } as const
    return withRelay({ keywords: ["AUTH XOAUTH2"] }, options, async ({ run, relay }) => {
      expect((await run()).ended).toBe("Unavailable: There is no access token for the relay.")
      expect(relay.sessions[0]!.commands.filter((line) => line.startsWith("AUTH"))).toEqual([])
    })
  })
})
