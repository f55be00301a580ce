/**
 * The stub as both the transport and the relay of the transport laws.
 */
import type { Relay, RelayAct } from "@mailkeep/conformance"
import type { TransportCapabilities, TransportShape } from "@mailkeep/core/adapter"
import { mailOf, acceptedAttachments } from "@mailkeep/conformance"
import { Transport } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { StubAct } from "../src/index.ts"
import { StubTransport } from "../src/index.ts"

const stubAct = (act: RelayAct, confirmsDelivery: boolean): StubAct => {
  switch (act.does) {
    case "accept":
      return { act: confirmsDelivery ? "deliver" : "accept" }
    case "refuse": {
      const { does: _, ...reply } = act
      return { act: act.smtpCode < 500 ? "defer" : "refuse", ...reply }
    }
    case "hang":
      return { act: "hang", whileFinalizing: act.whileFinalizing }
    case "drop":
      return { act: act.whileFinalizing ? "loseReply" : "disconnect" }
  }
}

export const stubWithRelay = (capabilities: Partial<TransportCapabilities> = {}) =>
  Effect.sync(() => {
    const confirmsDelivery = capabilities.confirmsDelivery ?? true
    const stub = StubTransport.make({
      capabilities,
      script: [{ acts: [stubAct({ does: "accept" }, confirmsDelivery)] }]
    })
    let underWay = 0
    const relay: Relay = {
      script: (recipient, act) =>
        Effect.sync(() => stub.addRules({ recipient, acts: [stubAct(act, confirmsDelivery)] })),
      accepted: Effect.promise(() =>
        Promise.all(stub.captured().map(async (one) => mailOf(one, await acceptedAttachments(one.message))))
      ),
      underWay: Effect.sync(() => underWay)
    }
    const handOff: TransportShape["handOff"] = (one) =>
      Effect.acquireUseRelease(
        Effect.sync(() => underWay++),
        () => stub.handOff(one),
        () => Effect.sync(() => underWay--)
      )
    return { layer: Layer.succeed(Transport, { ...stub, handOff }), relay }
  })
