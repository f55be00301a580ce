import type { Socket } from "node:net"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { openConnection } from "../src/openConnection.ts"
import { settingsOf } from "../src/smtpSettings.ts"
import { ScriptedRelay } from "./ScriptedRelay.ts"

describe("RelayConnection", () => {
  it("waits until the system has taken all that was written", async () => {
    const relay = await ScriptedRelay.listen({ act: (step) => (step === "mail" ? "pause" : undefined) })
    const settings = Result.getOrThrow(settingsOf({ host: "127.0.0.1", port: relay.port }))
    const connection = await Effect.runPromise(openConnection(settings))
    const socket = connection.client._socket as Socket
    socket.write("MAIL FROM:<a@b.example>\r\n")
    await relay.until(() => relay.reached.includes("mail"))
    socket.write(Buffer.alloc(40_000_000))
    let isWritten = false
    const written = new Promise<void>((resolve) =>
      connection.whenWritten(() => {
        isWritten = true
        resolve()
      })
    )
    for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    expect([isWritten, socket.writableLength > 0]).toEqual([false, true])
    relay.discard()
    await written
    expect(socket.writableLength).toBe(0)
    connection.destroy()
    await relay.close()
  })

  it("runs no listener of a write when the connection is lost", async () => {
    const relay = await ScriptedRelay.listen()
    const settings = Result.getOrThrow(settingsOf({ host: "127.0.0.1", port: relay.port }))
    const connection = await Effect.runPromise(openConnection(settings))
    connection.destroy()
    let runs = 0
    connection.whenWritten(() => runs++)
    await relay.until(() => relay.openSessions === 0)
    expect([runs, connection.ended]).toEqual([0, true])
    await relay.close()
  })
})
