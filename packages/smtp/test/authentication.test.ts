import type { AddressInfo } from "node:net"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { SMTPServer } from "smtp-server"
import type { SMTPServerOptions } from "smtp-server"
import { describe, expect, it } from "vitest"
import type { SmtpAuth, SmtpOptions } from "../src/index.ts"
import { SmtpTransport } from "../src/index.ts"
import { handOff, shown, withRelay } from "./handOffHarness.ts"
import type { Act, Session, Step } from "./RelayDialogue.ts"
import { testCertificate, testKey } from "./testCertificate.ts"

/** A login at the server: its mechanism, user, and password or token. */
interface Login {
  readonly method: string
  readonly user: string
  readonly secret: string
  readonly isEncrypted: boolean
}

/** Hands a message over to a relay that logs in this user with `right`, and returns the result and the logins. */
const handOverTo = async (server: SMTPServerOptions, options: Partial<SmtpOptions>) => {
  const logins: Array<Login> = []
  const relay = new SMTPServer({
    key: testKey,
    cert: testCertificate,
    onAuth({ method, username = "", password, accessToken }, { secure }, done) {
      const secret = password ?? accessToken ?? ""
      logins.push({ method, user: username, secret, isEncrypted: secure })
      if (secret === "right") done(null, { user: username })
      else done(null, { data: { status: "401", schemes: "bearer", scope: "mail" } })
    },
    ...server
  })
  relay.on("error", () => {})
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve))
  const { port } = relay.server.address() as AddressInfo
  const program = Effect.gen(function* () {
    const transport = yield* SmtpTransport.make({
      host: "localhost",
      port,
      certificate: { ca: testCertificate },
      ...options
    })
    return yield* transport.handOff(handOff())
  })
  try {
    const ended = await Effect.runPromise(
      Effect.scoped(program).pipe(Effect.catch((failure) => Effect.succeed(failure)))
    )
    return {
      ended: ended._tag === "SmtpOptionsInvalid" ? ended.reason : shown(ended).replace(/ [^ ]*queued.*/i, ""),
      logins
    }
  } finally {
    await new Promise<void>((resolve) => relay.close(resolve))
  }
}

const password: SmtpAuth = { user: "shop ü", password: Redacted.make("right") }

const tokens = (...given: ReadonlyArray<string>): { readonly auth: SmtpAuth; readonly asked: Array<boolean> } => {
  const asked: Array<boolean> = []
  return {
    asked,
    auth: {
      user: "shop@acme.example",
      accessToken: async ({ renew }) => {
        asked.push(renew)
        return Redacted.make(given[asked.length - 1]!)
      }
    }
  }
}

const accepted = expect.stringMatching(/^Accepted at endOfData: 250 /)

describe("the login", () => {
  it.each(["PLAIN", "LOGIN"] as const)("logs in by %s with a password after STARTTLS", async (method) => {
    const { ended, logins } = await handOverTo({ authMethods: [method] }, { auth: password })
    expect([ended, logins]).toEqual([accepted, [{ method, user: "shop ü", secret: "right", isEncrypted: true }]])
  })

  it("logs in by the mechanism of the option", async () => {
    const { logins } = await handOverTo({}, { auth: { ...password, method: "LOGIN" } })
    expect(logins.map(({ method }) => method)).toEqual(["LOGIN"])
  })

  it("logs in when TLS begins with the first byte", async () => {
    const { ended, logins } = await handOverTo({ secure: true }, { auth: password, tls: "implicit" })
    expect([ended, logins[0]!.isEncrypted]).toEqual([accepted, true])
  })

  it("returns the refusal of a wrong password", async () => {
    const { ended } = await handOverTo({}, { auth: { user: "u", password: Redacted.make("wrong") } })
    expect(ended).toMatch(/^Refused at auth: 535 /)
  })

  it.each<[string, SmtpAuth]>([
    ["PLAIN", { user: "shop", password: Redacted.make("topsecret") }],
    ["LOGIN", { user: "shop", password: Redacted.make("topsecret") }],
    ["XOAUTH2", { user: "shop", accessToken: async () => Redacted.make("topsecret") }]
  ])("returns no credential when the relay repeats the command of a refused login by %s", async (method, auth) => {
    const act = (step: Step, _: Session, line: string): Act | undefined => {
      if (step !== "auth") return undefined
      return { reply: line === "AUTH LOGIN" ? "334 VXNlcm5hbWU6" : `500 5.5.1 Command not allowed: "${line}"` }
    }
    await withRelay({ keywords: [`AUTH ${method}`], act }, { auth, tls: "opportunistic" }, async ({ run }) => {
      expect((await run()).ended).toBe("Refused at auth: 500 5.5.1 The relay refused the login.")
    })
  })

  it("logs in by an access token, and asks once for another one after 535", async () => {
    for (const [given, asked] of [
      [["right"], [false]],
      [
        ["wrong", "right"],
        [false, true]
      ]
    ] as const) {
      const { auth, asked: was } = tokens(...given)
      const { ended, logins } = await handOverTo({ authMethods: ["XOAUTH2"] }, { auth })
      expect([ended, was]).toEqual([accepted, asked])
      expect(logins.map(({ method, user, secret }) => [method, user, secret])).toEqual(
        given.map((token) => ["XOAUTH2", "shop@acme.example", token])
      )
    }
  })

  it.each(["AUTH LOGIN PLAIN XOAUTH2", "AUTH LOGIN XOAUTH2"])(
    "logs in by an access token when the relay offers %s",
    async (offer) => {
      const { auth } = tokens("right")
      await withRelay({ keywords: [offer] }, { auth, tls: "opportunistic" }, async ({ run, relay }) => {
        expect((await run()).ended).toEqual(accepted)
        const response = Buffer.from("user=shop@acme.example\u0001auth=Bearer right\u0001\u0001").toString("base64")
        expect(relay.sessions[0]!.commands[1]).toBe(`AUTH XOAUTH2 ${response}`)
      })
    }
  )

  it("returns the refusal when the second access token is wrong too", async () => {
    const { auth, asked } = tokens("wrong", "wrong", "right")
    const { ended } = await handOverTo({ authMethods: ["XOAUTH2"] }, { auth })
    expect([ended, asked]).toEqual([expect.stringMatching(/^Refused at auth: 535 /), [false, true]])
  })

  it("returns the refusal of the access token when the relay closes the connection after it", async () => {
    const { auth, asked } = tokens("wrong", "right", "right")
    let refusals = 1
    const act = (step: Step): Act | undefined =>
      step === "auth" && refusals-- > 0 ? { pieces: ["535 5.7.8 Wrong\r\n"], thenDrop: true } : undefined
    await withRelay({ keywords: ["AUTH XOAUTH2"], act }, { auth, tls: "opportunistic" }, async ({ run }) => {
      expect((await run()).ended).toBe("Refused at auth: 535 5.7.8 The relay refused the login.")
      expect(asked).toEqual([false, true])
      expect(await run()).toEqual({ ended: accepted, finalized: 1 })
    })
  })

  it("takes an access token from an effect", async () => {
    const auth = { user: "u", accessToken: () => Effect.succeed(Redacted.make("right")) }
    expect((await handOverTo({ authMethods: ["XOAUTH2"] }, { auth })).ended).toEqual(accepted)
  })

  it.each<[string, () => Effect.Effect<never, Error> | Promise<never>]>([
    ["fails", () => Effect.fail(new Error("canary"))],
    ["dies", () => Effect.die(new Error("canary"))],
    ["rejects", () => Promise.reject(new Error("canary"))],
    [
      "throws",
      () => {
        throw new Error("canary")
      }
    ]
  ])("fails as unavailable when the function of the access token %s", async (_, accessToken) => {
    const { ended, logins } = await handOverTo({ authMethods: ["XOAUTH2"] }, { auth: { user: "u", accessToken } })
    expect([ended, logins]).toEqual(["Unavailable: There is no access token for the relay.", []])
  })

  it("fails as unavailable when the function of the access token returns none within 60 seconds", async () => {
    const asked = Promise.withResolvers<void>()
    const auth = { user: "u", accessToken: () => Effect.andThen(Effect.sync(asked.resolve), Effect.never) }
    const options = { auth, tls: "opportunistic", allowPlaintextAuth: true } as const
    await withRelay({ keywords: ["AUTH XOAUTH2"] }, options, async ({ relay, transport }) => {
      const program = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(transport.handOff(handOff())))
        yield* Effect.promise(() => asked.promise)
        yield* TestClock.adjust("59 seconds")
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(fiber)
      })
      const failure = await Effect.runPromise(Effect.provide(program, TestClock.layer()))
      expect(failure).toMatchObject({ reason: "No access token for the relay arrived in time." })
      await relay.until(() => relay.openSessions === 0)
    })
  })

  it("uses no mechanism that the relay does not offer", async () => {
    const { ended, logins } = await handOverTo({ authMethods: ["CRAM-MD5", "XOAUTH2"] }, { auth: password })
    expect([ended, logins]).toEqual(["Unavailable: The relay and the transport have no common way to log in.", []])
  })

  it("sends no credentials over a connection without encryption, unless the option allows it", async () => {
    const offered = { keywords: ["AUTH PLAIN"] }
    const options = { auth: password, tls: "opportunistic" } as const
    await withRelay(offered, { ...options, allowPlaintextAuth: false }, async ({ run, relay }) => {
      expect((await run()).ended).toBe(
        "Unavailable: The connection is not encrypted, so the transport does not log in."
      )
      expect(relay.sessions[0]!.commands.filter((line) => line.startsWith("AUTH"))).toEqual([])
    })
    await withRelay(offered, { ...options, allowPlaintextAuth: true }, async ({ run }) => {
      expect((await run()).ended).toEqual(accepted)
    })
  })

  it("sends no credentials to a relay that does not offer STARTTLS", async () => {
    const { ended, logins } = await handOverTo({ disabledCommands: ["STARTTLS"] }, { auth: password })
    expect([ended, logins]).toEqual([
      expect.stringMatching(/^Unavailable: The relay does not encrypt the connection/),
      []
    ])
  })
})
