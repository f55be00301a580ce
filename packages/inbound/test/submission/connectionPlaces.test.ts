/**
 * Connections that are open and send nothing useful, on a listener without a free place. Time is moved by the test clock.
 */
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { setImmediate as immediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { smtpClient, smtpClientOn } from "../smtpClient.ts"
import type { SubmissionTestServer } from "../submissionTestServer.ts"
import { submit } from "../submissionTestServer.ts"
import { opened, valid } from "./openedServer.ts"

/** Advances the clock when the listener waits. */
const pass = async (server: SubmissionTestServer, duration: Parameters<typeof TestClock.adjust>[0]) => {
  for (let turn = 0; turn < 10; turn++) await immediate()
  await server.run(TestClock.adjust(duration))
  for (let turn = 0; turn < 10; turn++) await immediate()
}

const refusal = "421 4.3.2 Too many connections, try again later"
const greetingOf = ({ port }: SubmissionTestServer) => smtpClientOn(connect(port, "127.0.0.1")).reply()

describe("SmtpSubmission without a free place", () => {
  it("gives a new connection the place of the one that has sent nothing useful for the longest time", async () => {
    const server = await opened({ connectionsMax: 3 })
    const busy = await server.client()
    const first = await smtpClient(server.port)
    await pass(server, "4 seconds")
    const second = await smtpClient(server.port)
    await pass(server, "6 seconds")
    // Neither a command without an effect nor a part of a command is useful.
    expect(await first.command("NOOP")).toBe("250 2.0.0 Ok")
    second.send("NO")
    expect(await submit(busy, valid)).toMatch(/^250 /)
    expect(await greetingOf(server)).toMatch(/^220 /)
    expect(await first.closed).toBe(`${refusal}\r\n`)
    expect(server.listener.connections()).toBe(3)
    await pass(server, "4 seconds")
    expect(await greetingOf(server)).toMatch(/^220 /)
    expect(await second.closed).toBe(`${refusal}\r\n`)
    expect(await busy.command("NOOP")).toBe("250 2.0.0 Ok")
  })

  it("refuses a new connection while each of the others was useful in the last 10 seconds", async () => {
    const server = await opened({ connectionsMax: 2 })
    const [authenticated, anonymous] = [await server.client(), await smtpClient(server.port)]
    await pass(server, "9 seconds")
    expect(await greetingOf(server)).toBe(refusal)
    expect(await submit(authenticated, valid)).toMatch(/^250 /)
    await pass(server, "1 second")
    expect(await greetingOf(server)).toMatch(/^220 /)
    expect(await anonymous.closed).toBe(`${refusal}\r\n`)
    expect(await greetingOf(server)).toBe(refusal)
    expect(await authenticated.command("NOOP")).toBe("250 2.0.0 Ok")
  })

  it("leaves a connection its place while it sends a message, however slowly", async () => {
    const server = await opened({ connectionsMax: 1 })
    const slow = await server.client()
    slow.send("MAIL FROM:<a@example.com>\r\nRCPT TO:<ada@example.org>\r\nDATA\r\n")
    for (const code of ["250", "250", "354"]) expect((await slow.reply()).slice(0, 3)).toBe(code)
    await pass(server, "30 seconds")
    expect(await greetingOf(server)).toBe(refusal)
    slow.send(`${valid}.\r\n`)
    expect(await slow.reply()).toMatch(/^250 /)
  })
})
