/**
 * The messages of the failures of ports, which an author of an adapter sees in a log.
 */
import { describe, expect, it } from "vitest"
import { Conflict } from "../../src/domain/store/Conflict.ts"
import { DnsFailure } from "../../src/port/DnsResolver.ts"
import { SinkUnavailable } from "../../src/port/EventSink.ts"
import { FileNotRead } from "../../src/port/FileReader.ts"
import { HandOffRevoked, TransportUnavailable } from "../../src/port/Transport.ts"

describe("the message of a failure of a port", () => {
  it.each([
    [new DnsFailure({ definite: true, code: "nxdomain" }), "DNS gave no usable answer: nxdomain."],
    [new SinkUnavailable({ reason: "connection_lost" }), "The subscriber was not reached: connection_lost."],
    [new TransportUnavailable({ reason: "The relay did not answer." }), "The relay did not answer."],
    [
      new Conflict({ at: 2, change: "PutSuppression", reason: "Stale" }),
      "The guard of change 2 (PutSuppression) did not hold: Stale."
    ],
    [new FileNotRead({ reason: "too_large" }), "The file is larger than the limit."],
    [new HandOffRevoked({ why: "lease_lost" }), "Another worker has claimed the delivery."]
  ])("says what happened: %s", (failure, message) => {
    expect(failure.message).toBe(message)
    expect(String(failure)).toContain(message)
  })
})
