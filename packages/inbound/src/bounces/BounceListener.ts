/**
 * The SMTP or LMTP listener that receives returned mail: bounces and complaints. Source: RFC 5321 §4.4 and §6.1; RFC 2033; decision 0040.
 */
import type { Feedback, StoreUnavailable } from "@mailkeep/core"
import { makeStoreFailureLog } from "@mailkeep/core/binding"
import { assertOptions, given, mustBe, optionsOf } from "@mailkeep/core/options"
import { Context, Effect, Layer } from "effect"
import type { Path } from "../listener/command.ts"
import { bounceLimits } from "../listener/limits.ts"
import type { Listener, ListenerNotStarted, ListenerOptions } from "../listener/listener.ts"
import { openListener } from "../listener/listener.ts"
import { listenerRules } from "../listener/listenerOptionsRule.ts"
import type { MailHandler } from "../listener/MailHandler.ts"
import type { Reply } from "../listener/Reply.ts"
import type { MailReports } from "../reports/MailReport.ts"
import { readBytesMax } from "../reports/mimeParts.ts"
import { readReports } from "../reports/readReports.ts"
import { bounceReply } from "./bounceReplies.ts"
import { feedbackMail } from "./feedbackMail.ts"
import type { ReturnedMail, ReturnedMessage, ReturnedOutcome } from "./ReturnedMail.ts"

/** The options of the bounce listener. */
export interface BounceListenerOptions extends ListenerOptions {
  /** `lmtp` for a mail server on the same machine that passes mail on; default `smtp`, for servers of the internet. */
  readonly protocol?: "smtp" | "lmtp"
}

const rule = optionsOf<BounceListenerOptions>(
  { ...listenerRules, protocol: mustBe('"smtp" or "lmtp"', (value) => value === "smtp" || value === "lmtp") },
  { owner: "BounceListener", required: ["port"] }
)

/** Counts since the start of the listener. */
export type ReturnedCounts = Readonly<Record<ReturnedOutcome, number>> & {
  /** Recipients that were refused because their address is not a return path. */
  readonly unknown_recipient: number
}

/** A running bounce listener. */
export interface BounceListenerShape extends Listener {
  /** Messages by what became of them. A message counts once for each different recipient. */
  readonly counts: () => ReturnedCounts
}

/** Returns a function that computes a value at its first call. */
const once = <A>(compute: () => A): (() => A) => {
  let computed: { readonly value: A } | null = null
  return () => (computed ??= { value: compute() }).value
}

/** The same text for addresses that differ only in case, because the case of a return path has no meaning. */
const recipientKey = (recipient: Path): string => recipient.toLowerCase()

const makeBounceHandler = ({ isReturnPath, receive }: ReturnedMail) => {
  const counts = { recorded: 0, unmatched: 0, no_report: 0, unknown_recipient: 0 }
  const warn = makeStoreFailureLog("Bounces and complaints are refused for now.")
  const notStored = (failure: StoreUnavailable) => Effect.as(warn(failure), bounceReply("notStored"))
  const receiveFor = (message: ReturnedMessage) =>
    receive(message).pipe(
      Effect.map((outcome) => {
        counts[outcome]++
        return bounceReply("received")
      }),
      Effect.catch(notStored)
    )
  const handler: MailHandler<"anyone"> = {
    anonymous: "anyone",
    authenticate: () => Effect.fail(bounceReply("unknownRecipient")),
    checkSender: () => Effect.void,
    checkRecipient: (_, recipient) =>
      isReturnPath(recipient).pipe(
        Effect.catch((failure) => Effect.flatMap(notStored(failure), (reply) => Effect.fail(reply))),
        Effect.flatMap((isKnown) => {
          if (isKnown) return Effect.void
          counts.unknown_recipient++
          return Effect.fail(bounceReply("unknownRecipient"))
        })
      ),
    checkData: () => Effect.void,
    receive: Effect.fnUntraced(function* ({ sender, recipients, raw }) {
      const reports = once((): MailReports => readReports(raw, { envelopeSender: sender }))
      const replies = new Map<string, Reply>()
      for (const envelopeRecipient of recipients) {
        const key = recipientKey(envelopeRecipient)
        if (replies.has(key)) continue
        // A message with many recipients does not delay the other work of the process.
        if (replies.size > 0) yield* Effect.yieldNow
        replies.set(key, yield* receiveFor({ envelopeSender: sender, envelopeRecipient, raw, reports }))
      }
      // LMTP has one reply for each accepted `RCPT`, also for a repeated one (RFC 2033 §4.2).
      return recipients.map((recipient) => replies.get(recipientKey(recipient))!)
    })
  }
  return { handler, counts: (): ReturnedCounts => ({ ...counts }) }
}

/**
 * Takes bounces and complaints over SMTP or LMTP. It takes mail only for the return paths of deliveries, so it is no open door.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { BounceListener } from "@mailkeep/inbound"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Effect, Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const server = BounceListener.layer({ port: 0 }).pipe(Layer.provide(MailCore.layer), Layer.provide(adapters))
 * const program = Effect.map(BounceListener, ({ counts }) => console.log(counts().recorded)) // 0
 * await Effect.runPromise(Effect.provide(program, server))
 * ```
 */
export class BounceListener extends Context.Service<BounceListener, BounceListenerShape>()(
  "@mailkeep/inbound/BounceListener"
) {
  /**
   * Listens until its scope closes, and records the reports in the core. Fails with `ListenerNotStarted`. An option that is not valid is a defect: a
   * `TypeError` that names the option.
   */
  static readonly layer = (options: BounceListenerOptions): Layer.Layer<BounceListener, ListenerNotStarted, Feedback> =>
    Layer.unwrap(Effect.map(feedbackMail, (mail) => this.layerWith(options, mail)))

  /** Listens until its scope closes, and gives each message to `mail`. Fails with `ListenerNotStarted`. */
  static readonly layerWith = (
    options: BounceListenerOptions,
    mail: ReturnedMail
  ): Layer.Layer<BounceListener, ListenerNotStarted> =>
    Layer.effect(
      BounceListener,
      Effect.gen(function* () {
        assertOptions(rule, options)
        const { protocol = "smtp", ...listening } = given(options)
        const { handler, counts } = makeBounceHandler(mail)
        const listener = yield* openListener({
          options: listening,
          limits: { ...bounceLimits, ...listening },
          readBytesMax,
          protocol,
          needsApiKey: false,
          allowsClearApiKey: false,
          handler
        })
        return { ...listener, counts }
      })
    )
}
