import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeConnectionPool } from "../src/connectionPool.ts"
import { SmtpTransport } from "../src/index.ts"
import { openConnection } from "../src/openConnection.ts"
import type { RelayConnection } from "../src/RelayConnection.ts"
import { settingsOf } from "../src/smtpSettings.ts"
import { handOff, withRelay } from "./handOffHarness.ts"
import type { Act, Session, Step } from "./RelayDialogue.ts"
import { ScriptedRelay } from "./ScriptedRelay.ts"
import { oneMail, verbs } from "./pooledSession.ts"

const accepted = "Accepted at endOfData: 250 2.0.0 Queued"

/** The relay does this at the step of the session with that number, and is good otherwise. */
const inSession = (number: number, at: Step, act: Act, turn = 1) => {
  let turns = 0
  return (step: Step, session: Session) =>
    step === at && session.number === number && ++turns === turn ? act : undefined
}

describe("the connections of the transport", () => {
  it("sends the next mails on the connection of the first, without a new greeting", async () => {
    await withRelay({}, {}, async ({ run, relay }) => {
      for (let n = 0; n < 3; n++) expect((await run()).ended).toBe(accepted)
      expect(relay.sessions.map(verbs)).toEqual([["EHLO", ...oneMail, ...oneMail, ...oneMail]])
    })
  })

  it("opens no more connections than the option says, and gives one to every hand-off", async () => {
    await withRelay({}, { pool: { connectionsMax: 3 } }, async ({ run, relay }) => {
      const ended = await Promise.all(Array.from({ length: 30 }, () => run()))
      expect(ended.map((one) => one.ended)).toEqual(Array.from({ length: 30 }, () => accepted))
      expect([relay.openMax, relay.sessions.length, relay.taken.length]).toEqual([3, 3, 30])
    })
  })

  it("closes a connection by QUIT after the number of hand-offs that the option says", async () => {
    await withRelay({}, { pool: { handOffsMax: 2 } }, async ({ run, relay }) => {
      for (let n = 0; n < 3; n++) await run()
      await relay.until(() => !relay.sessions[0]!.isOpen)
      expect(relay.sessions.map(verbs)).toEqual([
        ["EHLO", ...oneMail, ...oneMail, "QUIT"],
        ["EHLO", ...oneMail]
      ])
    })
  })

  it("closes a connection by QUIT when it has its maximum age", async () => {
    const relay = await ScriptedRelay.listen()
    const program = Effect.gen(function* () {
      const transport = yield* SmtpTransport.make({
        host: "127.0.0.1",
        port: relay.port,
        pool: { ageMillisMax: 60_000, idleMillisMax: 600_000 }
      })
      for (const millis of [0, 59_999, 1]) {
        yield* TestClock.adjust(millis)
        yield* transport.handOff(handOff())
      }
      yield* Effect.promise(() => relay.until(() => !relay.sessions[0]!.isOpen))
    })
    await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(TestClock.layer())))
    await relay.until(() => relay.openSessions === 0)
    expect(relay.sessions.map(verbs)).toEqual([
      ["EHLO", ...oneMail, ...oneMail, "QUIT"],
      ["EHLO", ...oneMail, "QUIT"]
    ])
    await relay.close()
  })

  it("closes a connection by QUIT when nothing uses it", async () => {
    await withRelay({}, { pool: { idleMillisMax: 30 } }, async ({ run, relay }) => {
      await run()
      await relay.until(() => relay.openSessions === 0)
      expect(relay.sessions.map(verbs)).toEqual([["EHLO", ...oneMail, "QUIT"]])
      expect((await run()).ended).toBe(accepted)
    })
  })

  it("sends RSET after a refused envelope, before the next one", async () => {
    await withRelay({ act: inSession(0, "rcpt", { reply: "550 5.1.1 Unknown" }) }, {}, async ({ run, relay }) => {
      expect((await run()).ended).toBe("Refused at rcpt: 550 5.1.1 Unknown")
      expect((await run()).ended).toBe(accepted)
      expect(relay.sessions.map(verbs)).toEqual([["EHLO", "MAIL", "RCPT", "RSET", ...oneMail]])
    })
  })

  it("uses a connection again after a refusal of the message", async () => {
    await withRelay({ act: inSession(0, "endOfData", { reply: "554 5.6.0 No" }) }, {}, async ({ run, relay }) => {
      expect((await run()).ended).toBe("Refused at endOfData: 554 5.6.0 No")
      expect((await run()).ended).toBe(accepted)
      expect(relay.sessions).toHaveLength(1)
    })
  })
})

describe("a connection that the relay has closed", () => {
  it("replaces an idle connection that the relay has closed", async () => {
    await withRelay({}, {}, async ({ run, relay }) => {
      await run()
      relay.die()
      await relay.until(() => relay.openSessions === 0)
      expect((await run()).ended).toBe(accepted)
      expect(relay.sessions).toHaveLength(2)
    })
  })

  it.each<[string, Act]>([
    ["closes", "drop"],
    ["resets", "reset"],
    ["answers 421 to", { reply: "421 4.4.2 Idle too long" }]
  ])("replaces a used connection when the relay %s it at the next envelope", async (_, act) => {
    for (const keywords of [[], ["PIPELINING"]])
      await withRelay({ act: inSession(0, "mail", act, 2), keywords }, {}, async ({ run, relay }) => {
        await run()
        expect(await run()).toEqual({ ended: accepted, finalized: 1 })
        expect([relay.sessions.length, relay.taken.length]).toEqual([2, 2])
      })
  })

  it.each(["452 4.5.3 Too many messages in this session", "550 5.7.0 Too many messages in this session"])(
    "replaces a used connection when the relay takes no more senders on it: %s",
    async (reply) => {
      for (const keywords of [[], ["PIPELINING"]])
        await withRelay({ act: inSession(0, "mail", { reply }, 2), keywords }, {}, async ({ run, relay }) => {
          await run()
          expect(await run()).toEqual({ ended: accepted, finalized: 1 })
          expect([relay.sessions.length, relay.taken.length]).toEqual([2, 2])
        })
    }
  )

  it("returns the refusal of a sender that a new connection refuses too, and keeps this connection", async () => {
    const act = (step: Step, _: Session, line: string): Act | undefined =>
      step === "mail" && line.includes("again") ? { reply: "550 5.7.1 No" } : undefined
    const again = { envelope: { from: "again@acme.example", to: "ada@example.org" } }
    await withRelay({ act }, {}, async ({ run, relay }) => {
      await run()
      for (let count = 0; count < 3; count++) expect((await run(again)).ended).toBe("Refused at mail: 550 5.7.1 No")
      expect(relay.sessions).toHaveLength(2)
    })
  })

  it("replaces a used connection when the relay refuses RSET", async () => {
    const act = (step: Step, { number }: Session): Act | undefined =>
      number > 0
        ? undefined
        : step === "rcpt"
          ? { reply: "550 5.1.1 Unknown" }
          : step === "rset"
            ? { reply: "421 4.4.2 Bye" }
            : undefined
    await withRelay({ act }, {}, async ({ run, relay }) => {
      await run()
      expect((await run()).ended).toBe(accepted)
      expect(relay.sessions).toHaveLength(2)
    })
  })

  it("replaces no connection that was new, or whose relay had asked for the message", async () => {
    await withRelay({ act: inSession(0, "mail", "drop") }, {}, async ({ run, relay }) => {
      expect((await run()).ended).toBe("Unavailable: The relay closed the connection.")
      expect(relay.sessions).toHaveLength(1)
    })
    await withRelay({ act: inSession(0, "endOfData", "drop", 2) }, {}, async ({ run, relay }) => {
      await run()
      expect((await run()).ended).toBe("Unavailable: The relay closed the connection.")
      expect(relay.sessions).toHaveLength(1)
    })
  })

  it("replaces a connection only once", async () => {
    const act = (step: Step, { number }: Session, line: string): Act | undefined =>
      step === "mail" && (number > 0 || line.includes("again")) ? "drop" : undefined
    await withRelay({ act }, {}, async ({ run, relay }) => {
      await run()
      expect((await run({ envelope: { from: "again@acme.example", to: "ada@example.org" } })).ended).toBe(
        "Unavailable: The relay closed the connection."
      )
      expect(relay.sessions).toHaveLength(2)
    })
  })
})

describe("the pool", () => {
  it("closes an unused connection before it opens one more than it may have", async () => {
    const relay = await ScriptedRelay.listen()
    const settings = Result.getOrThrow(settingsOf({ host: "127.0.0.1", port: relay.port }))
    const opened: Array<RelayConnection> = []
    const open: Parameters<typeof makeConnectionPool>[0] = (register) => {
      expect(opened.map(({ ended }) => ended)).toEqual(opened.map(() => true))
      return Effect.tap(openConnection(settings, register), (connection) => Effect.sync(() => opened.push(connection)))
    }
    const program = Effect.gen(function* () {
      const pool = yield* makeConnectionPool(open, { ...settings.pool, connectionsMax: 1 })
      const use = (fresh: boolean) =>
        pool.use((pooled) => Effect.sync(() => (pooled.keep(), pooled.isReused)), { fresh })
      return yield* Effect.all([use(false), use(false), use(true), use(false)])
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual([false, true, false, true])
    expect(opened).toHaveLength(2)
    await relay.close()
  })
})

describe("a relay that dies", () => {
  it("ends every hand-off when the relay dies, and survives", async () => {
    await withRelay(
      { act: (step, { number }) => (step === "endOfData" && number < 4 ? "silence" : undefined) },
      {},
      async ({ run, relay }) => {
        const under = Promise.all(Array.from({ length: 4 }, () => run()))
        await relay.until(() => relay.taken.length === 4)
        relay.die()
        for (const { ended } of await under)
          expect(ended).toBe("Unavailable: The connection to the relay failed (ECONNRESET).")
        expect((await run()).ended).toBe(accepted)
      }
    )
  })
})

describe("a place in the pool", () => {
  it("frees a place in the pool after an interruption, also of a hand-off that waits for it", async () => {
    let isSilent = true
    const act = (step: Step): Act | undefined => (step === "rcpt" && isSilent ? "silence" : undefined)
    await withRelay({ act }, { pool: { connectionsMax: 1 } }, async ({ run, relay, transport }) => {
      const first = Effect.runFork(transport.handOff(handOff()))
      await relay.until(() => relay.reached.includes("rcpt"))
      const waiting = Effect.runFork(transport.handOff(handOff()))
      await Effect.runPromise(Fiber.interrupt(waiting))
      isSilent = false
      await Effect.runPromise(Fiber.interrupt(first))
      expect((await run()).ended).toBe(accepted)
    })
  })

  it("frees a place in the pool when no connection can be opened", async () => {
    await withRelay({ act: inSession(0, "greeting", "drop") }, { pool: { connectionsMax: 1 } }, async ({ run }) => {
      expect((await run()).ended).toBe("Unavailable: The relay closed the connection.")
      expect((await run()).ended).toBe(accepted)
    })
  })
})
