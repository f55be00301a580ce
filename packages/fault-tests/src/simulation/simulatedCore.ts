/**
 * The core of one simulated process: over a store, a relay and a webhook with faults. Everything random in it comes from the seed.
 */
import type { Crypto as CryptoService, Feedback } from "@mailkeep/core"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Crypto, EventSink, MailCore, MailStore, PlanSource, Transport } from "@mailkeep/core"
import { minuteMillis, secondMillis } from "@mailkeep/core/adapter"
import * as NodeCrypto from "@mailkeep/core/node"
import { Effect, Layer } from "effect"
import type { FaultRates } from "./faultRates.ts"
import { faultyStore, noStoreFaults } from "./faultyStore.ts"
import type { RelayCopy } from "./flakyRelay.ts"
import { flakyRelay } from "./flakyRelay.ts"
import { flakySink } from "./flakySink.ts"
import type { History } from "./history.ts"
import type { Reports } from "./reports.ts"
import type { SimProcess } from "./SimulatedWorld.ts"

/** What all processes of a simulation share. */
export interface SharedBySimulation {
  readonly raw: MailStoreShape
  readonly random: () => number
  readonly faultRates: FaultRates
  readonly hasFaults: () => boolean
  readonly history: History
  readonly copies: Array<RelayCopy>
  readonly reports: Reports
  readonly receivedEventDeliveries: Set<string>
}

/** Random bytes come from the seed, and a text has one encrypted form, so that two runs of one seed end with the same records. */
const seededCrypto = (random: () => number) =>
  Layer.effect(
    Crypto,
    Effect.map(Crypto, (crypto): CryptoService["Service"] => ({
      ...crypto,
      randomBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
      encrypt: (key, text) => Buffer.from(JSON.stringify([key, text])).toString("base64url"),
      decrypt: (key, encrypted) => {
        const [keyOf, text] = JSON.parse(Buffer.from(encrypted, "base64url").toString()) as [string, string]
        return keyOf === key ? text : null
      }
    }))
  ).pipe(Layer.provide(NodeCrypto.layer))

/** `feedback` takes the reports that arrive while the relay has not answered. */
export const simulatedCore = (shared: SharedBySimulation, process: SimProcess, feedback: () => Feedback["Service"]) => {
  const { raw, random, faultRates, hasFaults, history, copies, reports, receivedEventDeliveries } = shared
  const { signalsFinalize, sleepMillisMax } = faultRates
  const wall = () => process.clock.currentTimeMillisUnsafe()
  const store = faultyStore(raw, random, () => (hasFaults() ? faultRates.store : noStoreFaults), history.witness(wall))
  const relay = flakyRelay(random, hasFaults, wall, copies, signalsFinalize, (copy) =>
    reports.beforeAnswer(feedback(), copy)
  )
  return MailCore.layerWith({
    dispatcher: { leaseMillis: 2 * minuteMillis, graceMillis: secondMillis, sleepMillisMax },
    handOff: { deadlineMillis: 20 * minuteMillis },
    events: { leaseMillis: 10 * minuteMillis, graceMillis: secondMillis, sleepMillisMax }
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(MailStore, store),
        Layer.succeed(Transport, relay),
        Layer.succeed(EventSink, flakySink(random, hasFaults, receivedEventDeliveries)),
        PlanSource.layerFixed({ sendingAllowance: faultRates.allowance }),
        seededCrypto(random)
      )
    )
  )
}
