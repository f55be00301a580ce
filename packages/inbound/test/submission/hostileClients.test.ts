/**
 * Hostile and slow clients of the submission listener, over real sockets. Time is moved by the test clock.
 */
import { DeliveryLog } from "@mailkeep/core"
import { project } from "@mailkeep/test-support"
import { renewedCertificate, testCertificate } from "@mailkeep/test-support/testCertificates"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { setImmediate as immediate } from "node:timers/promises"
import type { TLSSocket } from "node:tls"
import { connect as connectTls } from "node:tls"
import { describe, expect, it } from "vitest"
import type { SmtpClient } from "../smtpClient.ts"
import { plainResponse, smtpClient, smtpClientOn } from "../smtpClient.ts"
import type { SubmissionTestServer } from "../submissionTestServer.ts"
import { messageOf, submit, validFields } from "../submissionTestServer.ts"
import { opened, valid } from "./openedServer.ts"

const subjects = (server: SubmissionTestServer) =>
  server.run(
    Effect.map(
      Effect.flatMap(DeliveryLog, (log) => log.list(project, {})),
      ({ items }) => items.map(({ subject }) => subject)
    )
  )

/** Waits until the listener has done what it can do without further bytes and without time. */
const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await immediate()
}

/** Advances the clock when the listener waits. */
const pass = async (server: SubmissionTestServer, duration: Parameters<typeof TestClock.adjust>[0]) => {
  await settled()
  await server.run(TestClock.adjust(duration))
  await settled()
}

/** Begins TLS on the connection of a client. */
const overTls = async (client: SmtpClient): Promise<SmtpClient> => {
  expect(await client.command("STARTTLS")).toMatch(/^220 /)
  client.socket.removeAllListeners("data")
  const secure = connectTls({ socket: client.socket, rejectUnauthorized: false })
  await once(secure, "secureConnect")
  return smtpClientOn(secure)
}

const second = messageOf(["From: evil@example.com", "To: eve@example.org", "Subject: Smuggled"])
const transaction = "MAIL FROM:<a@example.com>\r\nRCPT TO:<ada@example.org>\r\nDATA\r\n"

describe("SmtpSubmission", () => {
  it.each([
    ["\\n.\\n", "\n.\n"],
    ["\\r.\\r", "\r.\r"],
    ["\\r\\n.\\n", "\r\n.\n"],
    ["\\n.\\r\\n", "\n.\r\n"],
    ["\\r\\n.\\r", "\r\n.\r"],
    ["\\r.\\r\\n", "\r.\r\n"],
    ["\\r\\n\\0.\\r\\n", "\r\n\0.\r\n"]
  ])("accepts no message when one hides another after %s", async (_, sequence) => {
    const server = await opened()
    const client = await server.client()
    client.send(`${transaction}${valid}${sequence}${transaction}${second}.\r\nQUIT\r\n`)
    expect(await client.closed).toMatch(/354 [^\r\n]*\r\n554 5\.6\.0 [^\r\n]*\r\n$/)
    expect(await subjects(server)).toEqual([])
  })

  it("accepts two pipelined messages as two, and only these", async () => {
    const server = await opened()
    const client = await server.client()
    client.send(`${transaction}${valid}.\r\n${transaction}${valid.replace("Hello", "Second")}.\r\nQUIT\r\n`)
    const replies = (await client.closed).match(/^\d{3}/gm)
    expect(replies).toEqual(["250", "250", "354", "250", "250", "250", "354", "250", "221"])
    expect(await subjects(server)).toEqual(["Second", "Hello"])
  })

  it("reads a message that arrives byte by byte", async () => {
    const server = await opened()
    const client = await server.client()
    client.socket.setNoDelay(true)
    for (const byte of `${transaction}${valid}.\r\n`) {
      client.send(byte)
      await immediate()
    }
    for (const code of ["250", "250", "354", "250"]) expect((await client.reply()).slice(0, 3)).toBe(code)
    expect(await subjects(server)).toEqual(["Hello"])
  })

  it("accepts 8-bit text and a line of 1 MiB", async () => {
    const server = await opened()
    const client = await server.client()
    const line = "ä".repeat(512 * 1024)
    expect(await submit(client, messageOf([...validFields, "Content-Type: text/plain; charset=utf-8"], line))).toMatch(
      /^250 2\.0\.0 /
    )
  })

  it("closes a connection that sends a command of 1 MiB", async () => {
    const server = await opened()
    const client = await smtpClient(server.port)
    client.send("x".repeat(1024 * 1024))
    expect(await client.closed).toBe("500 5.5.2 Line too long\r\n")
  })

  it("closes a connection that speaks HTTP", async () => {
    const server = await opened()
    const client = await smtpClient(server.port)
    client.send("POST / HTTP/1.1\r\nHost: mail.test\r\n\r\nMAIL FROM:<a@example.com>\r\n")
    expect(await client.closed).toBe("500 5.5.1 This is an SMTP server\r\n")
  })

  it("refuses connections above the limit of one address at once, and takes new ones when others end", async () => {
    const server = await opened({ connectionsPerAddressMax: 5 })
    const clients = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const client = smtpClientOn(connect(server.port, "127.0.0.1"))
        return { client, greeting: await client.reply() }
      })
    )
    const kept = clients.filter(({ greeting }) => greeting.startsWith("220 "))
    expect(kept).toHaveLength(5)
    expect(new Set(clients.map(({ greeting }) => greeting)).size).toBe(2)
    expect(clients.some(({ greeting }) => greeting === "421 4.3.2 Too many connections, try again later")).toBe(true)
    expect(server.listener.connections()).toBe(5)
    for (const { client } of kept) client.socket.destroy()
    await expect.poll(() => server.listener.connections()).toBe(0)
    expect(await (await smtpClient(server.port)).command("NOOP")).toBe("250 2.0.0 Ok")
  })

  it("refuses connections above the limit of all addresses", async () => {
    const server = await opened({ connectionsMax: 1 })
    const first = await smtpClient(server.port)
    expect(await smtpClientOn(connect(server.port, "127.0.0.1")).reply()).toMatch(/^421 4\.3\.2 /)
    expect(await first.command("NOOP")).toBe("250 2.0.0 Ok")
  })

  it("closes a connection without a valid API key after a minute, however many commands it sends", async () => {
    const server = await opened()
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    for (const duration of ["20 seconds", "20 seconds", "19 seconds"] as const) {
      await pass(server, duration)
      expect(await client.command("NOOP")).toBe("250 2.0.0 Ok")
    }
    await pass(server, "1 second")
    expect(await client.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
  })

  it("closes a connection that sends a command byte by byte after 5 minutes", async () => {
    const server = await opened()
    const client = await server.client()
    for (let minute = 0; minute < 5; minute++) {
      client.send("N")
      await pass(server, "1 minute")
    }
    expect(await client.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
  })

  it("closes a connection whose message makes no progress for a minute", async () => {
    const server = await opened()
    const client = await server.client()
    client.send(transaction)
    for (const code of ["250", "250", "354"]) expect((await client.reply()).slice(0, 3)).toBe(code)
    await pass(server, "59 seconds")
    expect(server.listener.connections()).toBe(1)
    await pass(server, "1 second")
    expect(await client.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
  })

  it("closes a connection whose message takes more than 10 minutes", async () => {
    const server = await opened()
    const client = await server.client()
    client.send(transaction)
    for (const code of ["250", "250", "354"]) expect((await client.reply()).slice(0, 3)).toBe(code)
    for (let half = 0; half < 20; half++) {
      client.send("x")
      await pass(server, "30 seconds")
    }
    expect(await client.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
    expect(server.listener.messageBytes()).toBe(0)
  })

  it("closes a connection after an hour", async () => {
    const server = await opened()
    const client = await server.client()
    for (let minute = 0; minute < 15; minute++) {
      expect(await client.command("NOOP")).toBe("250 2.0.0 Ok")
      await pass(server, "4 minutes")
    }
    expect(await client.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
  })

  it("closes a connection after three refused API keys", async () => {
    const server = await opened()
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    const wrong = `AUTH PLAIN ${plainResponse("apikey", "wrong")}`
    expect(await client.command(wrong)).toMatch(/^535 5\.7\.8 /)
    expect(await client.command(wrong)).toMatch(/^535 5\.7\.8 /)
    client.send(`${wrong}\r\nNOOP\r\n`)
    expect(await client.closed).toBe("421 4.7.0 Too many errors\r\n")
  })

  it("frees the memory of a message when the client breaks the connection", async () => {
    const server = await opened()
    const client = await server.client()
    client.send(`${transaction}${"x".repeat(300_000)}`)
    await expect.poll(() => server.listener.messageBytes()).toBeGreaterThan(300_000)
    client.socket.resetAndDestroy()
    await expect.poll(() => server.listener.connections()).toBe(0)
    expect(server.listener.messageBytes()).toBe(0)
    expect(await subjects(server)).toEqual([])
  })

  it("refuses a message for which one address has no memory left, and accepts it later", async () => {
    const server = await opened({ messageBytesMax: 100_000, bufferedBytesMax: 200_000 })
    const [first, other] = [await server.client(), await server.client()]
    first.send(`${transaction}${messageOf(validFields, "x".repeat(90_000))}`)
    await expect.poll(() => server.listener.messageBytes()).toBeGreaterThan(80_000)
    const long = messageOf(validFields, "y".repeat(40_000))
    expect(await submit(other, long)).toBe("452 4.3.1 Too many messages are being received, try again later")
    expect(await submit(other, valid)).toMatch(/^250 /)
    first.socket.destroy()
    await expect.poll(() => server.listener.messageBytes()).toBe(0)
    expect(await submit(other, long)).toMatch(/^250 /)
  })
})

describe("STARTTLS", () => {
  it("refuses what a client sends in clear after STARTTLS, and closes the connection", async () => {
    const server = await opened({ tls: testCertificate })
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    client.send("STARTTLS\r\nRSET\r\n")
    expect(await client.closed).toBe("554 5.7.0 Nothing may follow STARTTLS before TLS\r\n")
  })

  it("breaks the connection when clear text follows the reply to STARTTLS", async () => {
    const server = await opened({ tls: testCertificate })
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    expect(await client.command("STARTTLS")).toBe("220 2.0.0 Ready to start TLS")
    client.send("EHLO c\r\nNOOP\r\n")
    expect(await client.closed).not.toMatch(/^250/m)
    await expect.poll(() => server.listener.connections()).toBe(0)
  })

  it("forgets the API key and the greeting of the connection before TLS", async () => {
    const server = await opened({ tls: testCertificate })
    const client = await server.client()
    const inside = await overTls(client)
    expect(await inside.command("MAIL FROM:<a@example.com>")).toMatch(/^503 /)
    expect(await inside.command("EHLO c")).not.toContain("STARTTLS")
    expect(await inside.command("MAIL FROM:<a@example.com>")).toMatch(/^530 5\.7\.0 /)
    await inside.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)
    expect(await submit(inside, valid)).toMatch(/^250 2\.0\.0 Ok: queued as msg_/)
    inside.socket.destroy()
  })

  it("gives the client a minute for its API key after TLS begins, and no longer", async () => {
    const server = await opened({ tls: testCertificate })
    const client = await server.client()
    await pass(server, "2 minutes")
    const secure = await overTls(client)
    await pass(server, "59 seconds")
    expect(await secure.command("NOOP")).toBe("250 2.0.0 Ok")
    await pass(server, "1 second")
    expect(await secure.closed).toBe("421 4.4.2 Timeout, closing the connection\r\n")
  })

  it("closes a connection that does not finish the handshake in 10 seconds", async () => {
    const server = await opened({ tls: testCertificate })
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    await client.command("STARTTLS")
    await pass(server, "10 seconds")
    expect(await client.closed).toBe("")
  })

  it("gives a renewed certificate to the connections that begin TLS after it, also to an open one", async () => {
    let tls = testCertificate
    const server = await opened({ tls: () => tls })
    const fingerprintFor = async (client: SmtpClient) => {
      const secure = await overTls(client)
      const { fingerprint256 } = (secure.socket as TLSSocket).getPeerX509Certificate()!
      await secure.command("QUIT")
      await secure.closed
      return fingerprint256
    }
    const earlier = await server.client()
    const first = await fingerprintFor(await server.client())
    tls = renewedCertificate
    await pass(server, "1 minute")
    const renewed = new X509Certificate(renewedCertificate.cert).fingerprint256
    expect(first).not.toBe(renewed)
    expect(await fingerprintFor(earlier)).toBe(renewed)
    expect(await fingerprintFor(await server.client())).toBe(renewed)
  })

  it("begins with TLS when the listener has implicit TLS", async () => {
    const server = await opened({ tls: testCertificate, implicitTls: true })
    const secure = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false })
    const client = smtpClientOn(secure)
    expect(await client.reply()).toBe("220 mail.test ESMTP")
    expect(await client.command("EHLO c")).not.toContain("STARTTLS")
    await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)
    expect(await submit(client, valid)).toMatch(/^250 /)
    secure.destroy()
    const clear = connect(server.port, "127.0.0.1")
    clear.on("error", () => {})
    clear.write("EHLO c\r\n")
    await once(clear, "close")
    await expect.poll(() => server.listener.connections()).toBe(0)
  })
})
