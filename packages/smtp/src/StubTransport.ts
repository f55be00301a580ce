/**
 * A transport that sends nothing: it keeps what it is handed and answers by a script, so that a product can be tried and tested
 * without a relay. It goes through the phases of a real hand-off, the final dot too.
 */
import type { SmtpReply, SmtpStage } from "@mailkeep/core/domain"
import type { HandOff, HandOffOutcome, TransportCapabilities, TransportShape } from "@mailkeep/core/port"
import { Transport, TransportUnavailable } from "@mailkeep/core/port"
import { Context, Effect, Layer } from "effect"

/** What the stub does with one hand-off. */
export type StubAct =
  /** Takes the message, as a relay that passes it on: `accepted`. */
  | { readonly act: "accept" }
  /** Takes the message, as the recipient's own server: `delivered`. */
  | { readonly act: "deliver" }
  /** Refuses for now. */
  | {
      readonly act: "defer"
      readonly code?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Refuses for good. */
  | {
      readonly act: "reject"
      readonly code?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Never answers; `afterDot` says whether it took the message first. */
  | { readonly act: "hang"; readonly afterDot?: boolean }
  /** Takes the message and loses the connection before the reply. */
  | { readonly act: "loseReply" }
  /** Loses the connection before the message. */
  | { readonly act: "disconnect" }
  /** Ends the process, as a power cut would: `before` or `after` the final dot. */
  | { readonly act: "crash"; readonly when: "before" | "after" }

/** A rule of the script: whom it is for, and the acts in turn; the last one stays. */
export interface StubRule {
  /** A recipient's address, or a pattern over it; left out for everybody. */
  readonly recipient?: string | RegExp
  readonly acts: readonly [StubAct, ...Array<StubAct>]
}

/** What the stub took: everything that passed the final dot. */
export interface TakenMessage extends Pick<HandOff, "deliveryId" | "attempt" | "envelope" | "message"> {}

export interface StubOptions {
  /** The first rule that matches a recipient counts; without one the message is delivered. */
  readonly script?: ReadonlyArray<StubRule>
  readonly capabilities?: Partial<TransportCapabilities>
  /** How many taken messages are kept; the oldest go first. */
  readonly keep?: number
  /** What `crash` does; ends the process unless told otherwise. */
  readonly crash?: () => void
  /** Told of every message that passes the final dot, before anything else happens. */
  readonly onTaken?: (taken: TakenMessage) => void
}

export interface StubTransportShape extends TransportShape {
  readonly taken: () => ReadonlyArray<TakenMessage>
  /** Puts rules in front of the others. */
  readonly addRules: (...rules: ReadonlyArray<StubRule>) => void
}

const defaultCapabilities: TransportCapabilities = {
  confirmsDelivery: true,
  marksFinalDot: true,
  idempotentHandoff: false,
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

export const make = (options: StubOptions = {}): StubTransportShape => {
  const { keep = 10_000, crash = () => process.kill(process.pid, "SIGKILL"), onTaken } = options
  const capabilities = { ...defaultCapabilities, ...options.capabilities }
  const rules: Array<StubRule> = [...(options.script ?? [])]
  const turns = new Map<StubRule, Map<string, number>>()
  const kept: Array<TakenMessage> = []

  /** A rule's acts go in turn for each recipient. */
  const nextAct = (address: string): StubAct => {
    const rule = rules.find((rule) => matches(rule, address))
    if (rule === undefined) return delivering
    const perRecipient = turns.get(rule) ?? new Map<string, number>()
    const turn = perRecipient.get(address) ?? 0
    turns.set(rule, perRecipient.set(address, turn + 1))
    return rule.acts[Math.min(turn, rule.acts.length - 1)]!
  }

  const pastDot = ({ deliveryId, attempt, envelope, message, beforeFinalDot }: HandOff) =>
    Effect.andThen(
      beforeFinalDot,
      Effect.sync(() => {
        const taken = { deliveryId, attempt, envelope, message }
        if (capabilities.idempotentHandoff && kept.some((earlier) => earlier.message.messageId === message.messageId))
          return
        kept.push(taken)
        if (kept.length > keep) kept.shift()
        onTaken?.(taken)
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
    return stage === "dot" ? Effect.andThen(handOff.beforeFinalDot, refused) : refused
  }

  const lost = (reason: string) => Effect.fail(new TransportUnavailable({ reason }))

  const play = (handOff: HandOff, act: StubAct): ReturnType<TransportShape["handOff"]> => {
    switch (act.act) {
      case "accept":
        return Effect.as(pastDot(handOff), {
          _tag: "Accepted",
          reply: reply("dot", 250, "2.0.0", "Ok: queued by the stub")
        } as const)
      case "deliver":
        return Effect.as(pastDot(handOff), {
          _tag: "Delivered",
          reply: reply("dot", 250, "2.1.5", "Ok: delivered by the stub")
        } as const)
      case "defer":
        return refuse(handOff, act, 451, "4.3.0", "Try again later")
      case "reject":
        return refuse(handOff, act, 550, "5.1.1", "User unknown")
      case "hang":
        return act.afterDot === true ? Effect.andThen(pastDot(handOff), Effect.never) : Effect.never
      case "loseReply":
        return Effect.andThen(pastDot(handOff), lost("The connection was lost after the final dot."))
      case "disconnect":
        return lost("The connection was lost.")
      case "crash": {
        const crashing = Effect.andThen(Effect.sync(crash), Effect.never)
        return act.when === "before" ? crashing : Effect.andThen(pastDot(handOff), crashing)
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

/** This transport's own service, for what only it can tell. */
export class StubTransport extends Context.Service<StubTransport, StubTransportShape>()(
  "@mailkeep/smtp/StubTransport"
) {}

/** The stub as `Transport`, and as itself. */
export const layer = (options: StubOptions = {}): Layer.Layer<Transport | StubTransport> =>
  Layer.effectContext(
    Effect.sync(() => {
      const stub = make(options)
      return Context.make(Transport, stub).pipe(Context.add(StubTransport, stub))
    })
  )
