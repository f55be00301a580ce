/**
 * The connections of a transport at the end of its scope.
 */
import { execFile } from "node:child_process"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { promisify } from "node:util"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { SmtpTransport } from "../src/index.ts"
import { handOff, shown } from "./handOffHarness.ts"
import { ScriptedRelay } from "./ScriptedRelay.ts"
import { oneMail, program, verbs } from "./pooledSession.ts"

describe("the end of the scope", () => {
  it("closes every connection by QUIT at the end of the scope, and refuses a further hand-off", async () => {
    const relay = await ScriptedRelay.listen()
    const scope = await Effect.runPromise(Scope.make())
    const transport = await Effect.runPromise(
      Scope.provide(SmtpTransport.make({ host: "127.0.0.1", port: relay.port }), scope)
    )
    await Effect.runPromise(
      Effect.all(
        [1, 2].map(() => transport.handOff(handOff())),
        { concurrency: "unbounded" }
      )
    )
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await relay.until(() => relay.openSessions === 0)
    expect(relay.sessions.map(verbs)).toEqual([1, 2].map(() => ["EHLO", ...oneMail, "QUIT"]))
    const failure = await Effect.runPromise(Effect.flip(transport.handOff(handOff())))
    expect(shown(failure)).toBe("Unavailable: The transport is closed.")
    await relay.close()
  })

  it("ends a hand-off that is under way at the end of the scope", async () => {
    const relay = await ScriptedRelay.listen({ act: (step) => (step === "endOfData" ? "silence" : undefined) })
    const scope = await Effect.runPromise(Scope.make())
    const transport = await Effect.runPromise(
      Scope.provide(SmtpTransport.make({ host: "127.0.0.1", port: relay.port }), scope)
    )
    const under = Effect.runPromise(Effect.flip(transport.handOff(handOff())))
    await relay.until(() => relay.taken.length === 1)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(shown(await under)).toBe("Unavailable: The relay closed the connection.")
    await relay.until(() => relay.openSessions === 0)
    await relay.close()
  })

  it("ends a hand-off whose connection is being opened at the end of the scope, and closes the connection", async () => {
    const relay = await ScriptedRelay.listen({ act: (step) => (step === "ehlo" ? "silence" : undefined) })
    const scope = await Effect.runPromise(Scope.make())
    const options = { host: "127.0.0.1", port: relay.port, timeouts: { greetingMillis: 1000, commandMillis: 1000 } }
    const transport = await Effect.runPromise(Scope.provide(SmtpTransport.make(options), scope))
    const under = Effect.runPromise(Effect.flip(transport.handOff(handOff())))
    await relay.until(() => relay.reached.includes("ehlo"))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(shown(await under)).toBe("Unavailable: The relay closed the connection.")
    await relay.until(() => relay.openSessions === 0)
    await relay.close()
  })

  it("keeps nothing that holds the process after the end of the scope, even if the relay never closes its side", async () => {
    const sockets: Array<Socket> = []
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket.on("error", () => {}))
      socket.write("220 a\r\n")
      let body: string | undefined
      socket.on("data", (chunk) => {
        const text = chunk.toString()
        if (body !== undefined) body += text
        if (text.startsWith("QUIT") || (body !== undefined && !body.endsWith("\r\n.\r\n"))) return
        const asks = body === undefined && text.startsWith("DATA")
        body = asks ? "" : undefined
        socket.write(asks ? "354 b\r\n" : "250 c\r\n")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program(port)], {
      cwd: import.meta.dirname
    })
    expect(stdout).toBe("Accepted \n")
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
})
