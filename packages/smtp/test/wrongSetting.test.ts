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
