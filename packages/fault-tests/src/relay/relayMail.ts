/**
 * The complete core with a SQLite store, SMTP to the relay, and a sender domain whose DNS records are all published.
 */
import { Dispatcher, Domains } from "@mailkeep/core"
import { Effect, Layer } from "effect"
import { embeddedMailOver, project } from "../embeddedMail.ts"
import type { PublishedDns } from "./publishedDns.ts"
import { relayTransport } from "./relayTransport.ts"

/** All services. The return paths of the sender domain are at `bounces` below it. */
export const relayMail = (folder: string, relayPort: number, dns: PublishedDns) =>
  embeddedMailOver(folder, relayTransport(relayPort), {
    domains: { mailHost: { host: "mail.test", returnPathLabel: "bounces" } }
  }).pipe(Layer.provideMerge(dns.layer))

/** Creates the domain, publishes its records and verifies them. Then its mail is signed, and its bounces reach the return path. */
export const verifySenderDomain = (dns: PublishedDns, domain: string) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    const { id, records } = yield* domains.ensure(project, { domain })
    dns.publish(records)
    const { status, verificationError } = yield* domains.verify(project, id)
    if (status !== "verified") throw new Error(`The sender domain is ${status}: ${verificationError}`)
  })

/** The hand-offs make no progress for this long: the run ends. */
const idleMillisMax = 300_000
const pollMillis = 50

/** Waits until the dispatcher has handed over every delivery. Fails when the number of waiting deliveries does not change for 5 minutes. */
export const allHandedOver = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  let [waitingBefore, idle] = [-1, 0]
  for (;;) {
    const health = yield* dispatcher.health
    const waiting = health.queued + health.sending
    if (waiting === 0) return
    idle = waiting === waitingBefore ? idle + pollMillis : 0
    waitingBefore = waiting
    if (idle > idleMillisMax)
      return yield* Effect.die(new Error(`${waiting} deliveries are not handed over: ${JSON.stringify(health)}`))
    yield* Effect.sleep(pollMillis)
  }
})
