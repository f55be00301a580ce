/**
 * A transport that sends nothing. It keeps each message and answers by a script, so that a product can be tried and tested without a relay.
 * It goes through every phase of a real hand-off, including finalizing.
 */
import type {
  MailCaptureShape,
  SmtpReply,
  HandOff,
  HandOffOutcome,
  TransportCapabilities,
  TransportShape
} from "@mailkeep/core/adapter"
import { MailCapture, Transport, TransportUnavailable } from "@mailkeep/core/adapter"
import { assertOptions, given } from "@mailkeep/core/options"
import { Clock, Context, Effect, Layer } from "effect"
import { makeCapturedMessages, makeMailCapture } from "./mailCapture.ts"
import type { CapturedMessage, StubAct, StubOptions, StubRule } from "./StubOptions.ts"
import { stubOptionsRule } from "./stubOptionsRule.ts"
import { actsOfOutcomes, makeStubScript } from "./stubScript.ts"

export type { CapturedMessage, StubAct, StubOptions, StubRule } from "./StubOptions.ts"

/** A transport with a script, which keeps the messages that it accepts. */
export interface StubTransportShape extends TransportShape {
  /** The accepted messages, oldest first. */
  readonly captured: () => ReadonlyArray<CapturedMessage>
  /** Adds rules before the existing rules. Throws a `TypeError` for a rule of another form. */
  readonly addRules: (...rules: ReadonlyArray<StubRule>) => void
  /** The last hand-off of each delivery, also of a delivery that the stub refused, and the outcomes that are chosen for the next hand-offs. */
  readonly capture: MailCaptureShape
}

const defaultCapabilities: TransportCapabilities = {
  confirmsDelivery: true,
  signalsFinalize: true,
  idempotentHandOff: false,
  maxMessageBytes: null,
  smtpUtf8: true
}

const keptBytesDefault = 64 * 1024 * 1024

const accepted: SmtpReply = {
  stage: "endOfData",
  smtpCode: 250,
  enhancedCode: "2.0.0",
  text: "Ok: queued by the stub"
}

const delivered: SmtpReply = {
  stage: "endOfData",
  smtpCode: 250,
  enhancedCode: "2.1.5",
  text: "Ok: delivered by the stub"
}

type Refusal = Extract<StubAct, { readonly act: "defer" | "refuse" }>

/** The replies of refusals. An act can replace each field. */
const refusals: Readonly<Record<Refusal["act"], SmtpReply>> = {
  defer: { stage: "rcpt", smtpCode: 451, enhancedCode: "4.3.0", text: "Try again later" },
  refuse: { stage: "rcpt", smtpCode: 550, enhancedCode: "5.1.1", text: "User unknown" }
}

const refuse = (handOff: HandOff, { act, ...fields }: Refusal) => {
  const reply: SmtpReply = { ...refusals[act], ...given(fields) }
  const refused = Effect.succeed<HandOffOutcome>({ _tag: "Refused", reply })
  return reply.stage === "endOfData" ? Effect.andThen(handOff.beforeFinalize, refused) : refused
}

const fail = (reason: string) => Effect.fail(new TransportUnavailable({ reason }))

/** Reads the files of a message to their ends, as for a relay. Keeps none of their bytes. */
const readFiles = ({ attachments }: HandOff["message"]): Effect.Effect<void, TransportUnavailable> =>
  attachments.length === 0
    ? Effect.void
    : Effect.tryPromise({
        try: async () => {
          for (const { read, size } of attachments) {
            let bytes = 0
            for await (const chunk of read()) bytes += chunk.length
            if (bytes !== size) throw new Error("The file does not have its size.")
          }
        },
        catch: (cause) =>
          new TransportUnavailable({
            reason: "A file of the message could not be read.",
            cause,
            relayFault: false,
            certainlyNotAccepted: true
          })
      })

/** Runs a function of the product, and waits for an async one. A rejection is a defect, as an error that the function throws. */
const called = (call: () => unknown): Effect.Effect<void> =>
  Effect.suspend(() => {
    const returned = call()
    const isAsync = typeof returned === "object" && returned !== null && "then" in returned
    return isAsync ? Effect.asVoid(Effect.promise(async () => returned)) : Effect.void
  })

/**
 * Makes a stub outside of Effect's layers, for example for a transport of a test. `layer` provides a stub as a
 * service. Throws a `TypeError` for an unknown option and for one of another form.
 */
export const make = (options: StubOptions = {}): StubTransportShape => {
  assertOptions(stubOptionsRule, options)
  const { keep = 10_000, keepBytes = keptBytesDefault, onCaptured } = options
  const { crash = () => process.kill(process.pid, "SIGKILL") } = options
  const capabilities: TransportCapabilities = { ...defaultCapabilities, ...given(options.capabilities ?? {}) }
  const captured = makeCapturedMessages({ keep, keepBytes })
  const capture = makeMailCapture({ keep, keepBytes })
  const script = makeStubScript(options.script ?? [])

  /** A chosen outcome is before the script. */
  const takeAct = (address: string): StubAct => {
    const chosen = capture.takeNextOutcome(address)
    return chosen === undefined ? script.takeAct(address) : actsOfOutcomes[chosen]
  }

  const keepOnce = (message: CapturedMessage): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (capabilities.idempotentHandOff && captured.has(message)) return Effect.void
      captured.add(message)
      return called(() => onCaptured?.(message))
    })

  const finalize = ({ deliveryId, attempt, envelope, message, beforeFinalize }: HandOff) =>
    Effect.andThen(
      Effect.andThen(readFiles(message), beforeFinalize),
      keepOnce({ deliveryId, attempt, envelope, message })
    )

  const play = (handOff: HandOff, act: StubAct): ReturnType<TransportShape["handOff"]> => {
    switch (act.act) {
      case "accept":
        return Effect.as(finalize(handOff), { _tag: "Accepted", reply: accepted } as const)
      case "deliver":
        return Effect.as(finalize(handOff), { _tag: "Delivered", reply: delivered } as const)
      case "defer":
      case "refuse":
        return refuse(handOff, act)
      case "hang":
        return act.whileFinalizing === true ? Effect.andThen(finalize(handOff), Effect.never) : Effect.never
      case "loseReply":
        return Effect.andThen(finalize(handOff), fail("The connection was lost after the end of data."))
      case "disconnect":
        return fail("The connection was lost.")
      case "crash": {
        const crashing = Effect.andThen(called(crash), Effect.never)
        return act.when === "before" ? crashing : Effect.andThen(finalize(handOff), crashing)
      }
    }
  }

  return {
    capabilities,
    handOff: (handOff) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        capture.record(handOff, now)
        return play(handOff, takeAct(handOff.envelope.to))
      }),
    capture,
    captured: captured.all,
    addRules: (...added) => {
      assertOptions(stubOptionsRule, { script: added })
      script.addRules(added)
    }
  }
}

/**
 * The service of this transport: its captured messages and its script.
 *
 * @example
 * ```ts
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const stub = yield* StubTransport.StubTransport
 *   stub.addRules({ recipient: "ada@example.org", acts: [{ act: "defer" }, { act: "deliver" }] })
 *   return stub.captured().length
 * })
 * console.log(Effect.runSync(Effect.provide(program, StubTransport.layer()))) // 0
 * ```
 */
export class StubTransport extends Context.Service<StubTransport, StubTransportShape>()(
  "@mailkeep/smtp/StubTransport"
) {}

const contextOf = (stub: StubTransportShape) =>
  Context.make(Transport, stub).pipe(Context.add(StubTransport, stub), Context.add(MailCapture, stub.capture))

/** Provides the stub as `Transport`, as `StubTransport`, and as `MailCapture`, which the development mailbox shows. */
export const layer = (options: StubOptions = {}): Layer.Layer<Transport | StubTransport | MailCapture> =>
  Layer.effectContext(Effect.sync(() => contextOf(make(options))))
