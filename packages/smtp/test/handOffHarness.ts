/**
 * Runs hand-offs of the SMTP transport to a scripted relay.
 */
import type {
  HandOff,
  HandOffOutcome,
  OutgoingMessage,
  HandOffRevoked,
  TransportUnavailable
} from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { SmtpOptions } from "../src/index.ts"
import { SmtpTransport } from "../src/index.ts"
import type { RelaySetup } from "./ScriptedRelay.ts"
import { ScriptedRelay } from "./ScriptedRelay.ts"

/** A message of two lines. */
export const message = (change: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  messageIdHeader: "<del_1@acme.example>",
  date: Date.UTC(2026, 10, 21, 12),
  from: { name: "Acme", address: "shop@acme.example" },
  replyTo: null,
  to: ["ada@example.org"],
  cc: [],
  subject: "Your order",
  html: null,
  text: "Thanks.\r\nYour shop",
  headers: {},
  attachments: [],
  ...change
})

/** A hand-off of that message. */
export const handOff = (change: Partial<HandOff> = {}): HandOff => ({
  projectId: "prj_test",
  deliveryId: "del_1",
  attempt: 1,
  envelope: { from: "bounces@acme.example", to: "ada@example.org" },
  message: message(),
  dkim: null,
  beforeFinalize: Effect.void,
  ...change
})

/** How a hand-off ended, in short: the outcome with the reply, or the reason why there is none. */
export const shown = (ended: HandOffOutcome | TransportUnavailable | HandOffRevoked): string => {
  if (ended._tag === "TransportUnavailable") return `Unavailable: ${ended.reason}`
  if (ended._tag === "HandOffRevoked") return `Revoked: ${ended.why}`
  const { stage, smtpCode: code, enhancedCode, text } = ended.reply
  return `${ended._tag} at ${stage}: ${code} ${enhancedCode} ${text}`
}

/** The transport of a test, which closes with the test, and its relay. */
export interface Bench {
  readonly relay: ScriptedRelay
  readonly transport: SmtpTransport.SmtpTransportShape
  /** Runs a hand-off, and returns how it ended and how often it ran `beforeFinalize`. */
  readonly run: (change?: Partial<HandOff>) => Promise<{ readonly ended: string; readonly finalized: number }>
}

const runBy = (transport: SmtpTransport.SmtpTransportShape): Bench["run"] => {
  return async (change = {}) => {
    let finalized = 0
    const counted = Effect.andThen(
      Effect.sync(() => finalized++),
      change.beforeFinalize ?? Effect.void
    )
    const ended = await Effect.runPromise(
      transport
        .handOff(handOff({ ...change, beforeFinalize: counted }))
        .pipe(Effect.catch((failure) => Effect.succeed(failure)))
    )
    return { ended: shown(ended), finalized }
  }
}

/** Runs a test with a relay and a transport, and closes both. */
export const withRelay = async <A>(
  setup: RelaySetup,
  options: Partial<SmtpOptions>,
  test: (bench: Bench) => Promise<A>
): Promise<A> => {
  const relay = await ScriptedRelay.listen(setup)
  try {
    const program = Effect.gen(function* () {
      const made = yield* SmtpTransport.make({
        host: "127.0.0.1",
        port: relay.port,
        tls: "off",
        clientName: "client.example",
        ...options
      })
      return yield* Effect.promise(() => test({ relay, transport: made, run: runBy(made) }))
    })
    return await Effect.runPromise(Effect.scoped(program))
  } finally {
    await relay.close()
  }
}

/** The result of a hand-off that the relay accepted. */
export const accepted = { ended: "Accepted at endOfData: 250 2.0.0 Queued", finalized: 1 }

/** The extensions that the transport uses. */
export const offers = ["SIZE 1000000", "DSN", "SMTPUTF8", "8BITMIME", "PIPELINING"]
