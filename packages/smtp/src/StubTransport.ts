/**
 * A transport that sends nothing. It keeps each message and answers by a script, so that a product can be tried and tested without a relay.
 * It goes through every phase of a real hand-off, including finalizing.
 */
import type { SmtpReply, SmtpStage } from "@mailkeep/core/adapter"
import type { HandOff, HandOffOutcome, TransportCapabilities, TransportShape } from "@mailkeep/core/adapter"
import { Transport, TransportUnavailable } from "@mailkeep/core/adapter"
import { Context, Effect, Layer } from "effect"

/** The behavior of the stub for one hand-off. */
export type StubAct =
  /** Accepts the message like a relay that passes it on: `accepted`. */
  | { readonly act: "accept" }
  /** Accepts the message like the recipient's own server: `delivered`. */
  | { readonly act: "deliver" }
  /** Refuses the message temporarily. */
  | {
      readonly act: "defer"
      readonly code?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Refuses the message permanently. */
  | {
      readonly act: "reject"
      readonly code?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Never answers. With `whileFinalizing` it accepts the message first. */
  | { readonly act: "hang"; readonly whileFinalizing?: boolean }
  /** Accepts the message and loses the connection before the reply. */
  | { readonly act: "loseReply" }
  /** Loses the connection before the message is sent. */
  | { readonly act: "disconnect" }
  /** Ends the process like a power cut, `before` or `after` finalizing. */
  | { readonly act: "crash"; readonly when: "before" | "after" }

/** A rule of the script: its recipients, and the acts in turn. The last act repeats. */
export interface StubRule {
  /** A recipient's address, or a pattern over it; default every recipient. */
  readonly recipient?: string | RegExp
  readonly acts: readonly [StubAct, ...Array<StubAct>]
}

/** A message that the stub accepted while finalizing. */
export interface CapturedMessage extends Pick<HandOff, "deliveryId" | "attempt" | "envelope" | "message"> {}

/** The script of the stub, what it declares, and what it does with accepted messages. */
export interface StubOptions {
  /** The first rule that matches a recipient applies. Without a matching rule the message is delivered. */
  readonly script?: ReadonlyArray<StubRule>
  /**
   * Replaces some of the declared capabilities. By default, the stub confirms delivery, signals finalizing and
   * takes any size.
   */
  readonly capabilities?: Partial<TransportCapabilities>
  /** How many messages are kept; default 10,000. The oldest are removed first. */
  readonly keep?: number
  /** The effect of `crash`; default it kills the process. */
  readonly crash?: () => void
  /** Called for every accepted message while finalizing, before anything else happens. */
  readonly onTaken?: (captured: CapturedMessage) => void
}

/** A transport with a script, which keeps the messages that it accepts. */
export interface StubTransportShape extends TransportShape {
  /** The accepted messages, oldest first. */
  readonly taken: () => ReadonlyArray<CapturedMessage>
  /** Adds rules before the existing rules. */
  readonly addRules: (...rules: ReadonlyArray<StubRule>) => void
}

const defaultCapabilities: TransportCapabilities = {
  confirmsDelivery: true,
  signalsFinalize: true,
  idempotentHandOff: false,
  maxMessageBytes: null,
  smtpUtf8: true
}

const delivering: StubAct = { act: "deliver" }

const matches = ({ recipient }: StubRule, address: string): boolean =>
  recipient === undefined || (typeof recipient === "string" ? recipient === address : recipient.test(address))

const reply = (stage: SmtpStage, code: number, enhancedCode: string, text: string): SmtpReply => ({
  stage,
  code,
  enhancedCode,
  text
})

/** Reads the files of a message to their ends, as for a relay. Keeps none of their bytes. */
const readFiles = ({ attachments }: HandOff["message"]): Effect.Effect<void, TransportUnavailable> =>
  attachments.length === 0
    ? Effect.void
    : Effect.tryPromise({
        try: async () => {
          for (const { read, size } of attachments) {
            let octets = 0
            for await (const chunk of read()) octets += chunk.length
            if (octets !== size) throw new Error("The file does not have its size.")
          }
        },
        catch: (cause) => new TransportUnavailable({ reason: "A file of the message could not be read.", cause })
      })

/**
 * Makes a stub outside of Effect's layers, for example for a transport of a test. `layer` provides a stub as a
 * service.
 */
export const make = (options: StubOptions = {}): StubTransportShape => {
  const { keep = 10_000, crash = () => process.kill(process.pid, "SIGKILL"), onTaken } = options
  const capabilities = { ...defaultCapabilities, ...options.capabilities }
  const rules: Array<StubRule> = [...(options.script ?? [])]
  const turns = new Map<StubRule, Map<string, number>>()
  const kept: Array<CapturedMessage> = []

  /** The acts of a rule apply in turn for each recipient. */
  const nextAct = (address: string): StubAct => {
    const rule = rules.find((rule) => matches(rule, address))
    if (rule === undefined) return delivering
    const perRecipient = turns.get(rule) ?? new Map<string, number>()
    const turn = perRecipient.get(address) ?? 0
    turns.set(rule, perRecipient.set(address, turn + 1))
    return rule.acts[Math.min(turn, rule.acts.length - 1)]!
  }

  const finalize = ({ deliveryId, attempt, envelope, message, beforeFinalize }: HandOff) =>
    Effect.andThen(
      Effect.andThen(readFiles(message), beforeFinalize),
      Effect.sync(() => {
        const captured = { deliveryId, attempt, envelope, message }
        if (
          capabilities.idempotentHandOff &&
          kept.some((earlier) => earlier.message.messageIdHeader === message.messageIdHeader)
        )
          return
        kept.push(captured)
        if (kept.length > keep) kept.shift()
        onTaken?.(captured)
      })
    )

  const refuse = (
    handOff: HandOff,
    act: Extract<StubAct, { readonly act: "defer" | "reject" }>,
    code: number,
    enhancedCode: string,
    text: string
  ) => {
    const stage = act.stage ?? "rcpt"
    const refused = Effect.succeed<HandOffOutcome>({
      _tag: "Refused",
      reply: reply(stage, act.code ?? code, act.enhancedCode ?? enhancedCode, act.text ?? text)
    })
    return stage === "finalizing" ? Effect.andThen(handOff.beforeFinalize, refused) : refused
  }

  const fail = (reason: string) => Effect.fail(new TransportUnavailable({ reason }))

  const play = (handOff: HandOff, act: StubAct): ReturnType<TransportShape["handOff"]> => {
    switch (act.act) {
      case "accept":
        return Effect.as(finalize(handOff), {
          _tag: "Accepted",
          reply: reply("finalizing", 250, "2.0.0", "Ok: queued by the stub")
        } as const)
      case "deliver":
        return Effect.as(finalize(handOff), {
          _tag: "Delivered",
          reply: reply("finalizing", 250, "2.1.5", "Ok: delivered by the stub")
        } as const)
      case "defer":
        return refuse(handOff, act, 451, "4.3.0", "Try again later")
      case "reject":
        return refuse(handOff, act, 550, "5.1.1", "User unknown")
      case "hang":
        return act.whileFinalizing === true ? Effect.andThen(finalize(handOff), Effect.never) : Effect.never
      case "loseReply":
        return Effect.andThen(finalize(handOff), fail("The connection was lost after the final bytes."))
      case "disconnect":
        return fail("The connection was lost.")
      case "crash": {
        const crashing = Effect.andThen(Effect.sync(crash), Effect.never)
        return act.when === "before" ? crashing : Effect.andThen(finalize(handOff), crashing)
      }
    }
  }

  return {
    capabilities,
    handOff: (handOff) => Effect.suspend(() => play(handOff, nextAct(handOff.envelope.to))),
    taken: () => [...kept],
    addRules: (...added) => {
      rules.unshift(...added)
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
 *   return stub.taken().length
 * })
 * console.log(Effect.runSync(Effect.provide(program, StubTransport.layer()))) // 0
 * ```
 */
export class StubTransport extends Context.Service<StubTransport, StubTransportShape>()(
  "@mailkeep/smtp/StubTransport"
) {}

/** Provides the stub as `Transport` and as `StubTransport`. */
export const layer = (options: StubOptions = {}): Layer.Layer<Transport | StubTransport> =>
  Layer.effectContext(
    Effect.sync(() => {
      const stub = make(options)
      return Context.make(Transport, stub).pipe(Context.add(StubTransport, stub))
    })
  )
