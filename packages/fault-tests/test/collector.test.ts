/**
 * Tests the collector: it records each message exactly as it was sent, and only CRLF, a full stop and CRLF end a message.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Collector } from "../src/relay/peers/collector.ts"
import { byDelivery, startCollector } from "../src/relay/peers/collector.ts"
import { seeded } from "../src/seeded.ts"

let folder: string
let collector: Collector
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-collector-"))
  collector = await startCollector(folder)
})
afterEach(async () => {
  await collector[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Sends the pieces as they are, ends the connection, and returns everything that the collector answered. */
const conversation = async (pieces: ReadonlyArray<string | Buffer>): Promise<string> => {
  const socket = connect(collector.port, "127.0.0.1")
  let answers = ""
  socket.on("data", (piece: Buffer) => (answers += piece.toString()))
  await once(socket, "connect")
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.write("QUIT\r\n")
  await once(socket, "close")
  return answers
}

const envelope =
  'EHLO a.test\r\nMAIL FROM:<"a>b"@a.test> SIZE=10\r\nRCPT TO:<one@b.test>\r\nRCPT TO:<two@b.test>\r\nDATA\r\n'

const recorded = () => collector.spool.mails().map((mail) => collector.spool.raw(mail).toString("latin1"))

describe("startCollector", () => {
  it("records a message with its envelope and without the stuffing", async () => {
    await conversation([envelope, "Subject: x\r\n\r\n..\r\n.", ".two\r\nend\r", "\n.", "\r\n"])
    expect(recorded()).toEqual(["Subject: x\r\n\r\n.\r\n.two\r\nend\r\n"])
    const [mail] = collector.spool.mails()
    expect(mail).toMatchObject({ from: '"a>b"@a.test', to: ["one@b.test", "two@b.test"] })
  })

  it("ends no message at a line feed or a carriage return alone", async () => {
    const body = "a\n.\nb\r.\rc\n.\r\nd\r\n.\ne\r\n"
    await conversation([`${envelope}${body}.\r\n`])
    expect(recorded()).toEqual([body.replace("\r\n.\ne", "\r\n\ne")])
    expect(collector.strayCommands()).toEqual([])
  })

  it("records the same message however the bytes are cut", async () => {
    const bytes = Buffer.from(`${envelope}Message-ID: <1@a.test>\r\n\r\n..\r\n.\r\n`)
    const random = seeded(1)
    for (let round = 0; round < 50; round++) {
      const cuts = Array.from({ length: round % 8 }, () => Math.floor(random() * bytes.length))
      const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      await conversation(edges.slice(1).map((edge, n) => bytes.subarray(edges[n], edge)))
      expect(recorded()[round]).toBe("Message-ID: <1@a.test>\r\n\r\n.\r\n")
    }
    expect(byDelivery(collector.spool).get("<1@a.test>")).toHaveLength(50)
  })

  it("shows a smuggled command as a stray command or as a second message", async () => {
    await conversation([
      `${envelope}one\r\n.\r\nX-Injected: yes\r\nMAIL FROM:<c@c.test>\r\nRCPT TO:<d@d.test>\r\nDATA\r\ntwo\r\n.\r\n`
    ])
    expect(recorded()).toEqual(["one\r\n", "two\r\n"])
    expect(collector.strayCommands()).toEqual(["X-Injected: yes"])
  })
})
