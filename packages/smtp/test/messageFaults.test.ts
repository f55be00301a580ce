/**
 * Hand-offs to a relay that fails while it takes the message, or after it.
 */
import { describe, expect, it } from "vitest"
import { withRelay } from "./handOffHarness.ts"
import type { Row } from "./relayFault.ts"
import { endsAsExpected, at, closed, broken, notSmtp, silent, tooEarly, accepted, bytes } from "./relayFault.ts"

const quickFinal = { timeouts: { endOfDataReplyMillis: 300 } }

const theMessage: ReadonlyArray<Row> = [
  { fault: "a closed connection in the message", relay: at("body", "drop"), ended: closed, finalized: 1 },
  {
    fault: "250 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n250 2.0.0 Queued\r\n"] }),
    ended: tooEarly
  },
  {
    fault: "552 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n552 5.3.4 Too big\r\n"] }),
    ended: "Refused at data: 552 5.3.4 Too big"
  },
  {
    fault: "421 before the message is complete",
    relay: at("data", { pieces: ["354 Go\r\n421 4.3.2 Bye\r\n"] }),
    ended: "Refused at data: 421 4.3.2 Bye"
  },
  {
    fault: "451 to the message",
    relay: at("endOfData", { reply: "451 4.3.0 Later" }),
    ended: "Refused at endOfData: 451 4.3.0 Later",
    finalized: 1
  },
  {
    fault: "554 to the message",
    relay: at("endOfData", { reply: "554 5.7.1 Spam" }),
    ended: "Refused at endOfData: 554 5.7.1 Spam",
    finalized: 1
  },
  {
    fault: "421 to the message",
    relay: at("endOfData", { reply: "421 4.3.2 Bye" }),
    ended: "Refused at endOfData: 421 4.3.2 Bye",
    finalized: 1
  },
  { fault: "a closed connection after the end of data", relay: at("endOfData", "drop"), ended: closed, finalized: 1 },
  { fault: "a reset connection after the end of data", relay: at("endOfData", "reset"), ended: broken, finalized: 1 },
  {
    fault: "silence after the end of data",
    relay: at("endOfData", "silence"),
    options: quickFinal,
    ended: silent,
    finalized: 1
  },
  {
    fault: "garbage after the end of data",
    relay: at("endOfData", { reply: "2garbage" }),
    ended: notSmtp,
    finalized: 1
  },
  {
    fault: "a reply without an end after the end of data",
    relay: at("endOfData", { pieces: ["2".repeat(1024 * 1024)] }),
    ended: notSmtp,
    finalized: 1
  },
  {
    fault: "a reply byte by byte to the message",
    relay: at("endOfData", { pieces: bytes("250 2.0.0 Queued\r\n") }),
    ended: accepted,
    finalized: 1
  },
  {
    fault: "a positive reply of several lines with control characters",
    relay: at("endOfData", { reply: "250-2.0.0 One\u0000\u001b[31m\n250-2.0.0\n250 2.0.0 two" }),
    ended: "Accepted at endOfData: 250 2.0.0 One [31m two",
    finalized: 1
  },
  { fault: "a closed connection at QUIT", relay: at("quit", "drop"), ended: accepted, finalized: 1 }
]

describe("a hand-off to a faulty relay", () => {
  it.each(theMessage)("ends as expected, and leaves the transport usable, after $fault", endsAsExpected)

  it.each(["PIPELINING", "SIZE"])(
    "sends no line of the message after 250 to DATA, to a relay with %s",
    async (keyword) => {
      await withRelay(at("data", { reply: "250 2.0.0 Ok" }, [keyword]), {}, async ({ run, relay }) => {
        expect(await run()).toEqual({ ended: notSmtp, finalized: 0 })
        expect(relay.bodyBytes).toBe(0)
        expect(await run()).toEqual({ ended: accepted, finalized: 1 })
      })
    }
  )
})
