/**
 * What a relay, a mailbox provider or a provider's API reports about a delivery after the hand-off, and its validation. Source: decision 0040.
 */
import { Schema } from "effect"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import { wholeOf } from "../value/NumberRule.ts"

/** Every kind of report. */
export const reportKinds = ["delivered", "bounced", "complained"] as const
/** `delivered`: the message is in the mailbox. `bounced`: it will not be. `complained`: the recipient called it spam. */
export type ReportKind = (typeof reportKinds)[number]

/** Every cause of a bounce. */
const bounceCauses = ["mailbox_unknown", "domain_unknown", "refused", "expired"] as const
/**
 * Why a delivery bounced.
 *
 * - `mailbox_unknown`: there is no such mailbox. Providers call it a hard bounce.
 * - `domain_unknown`: the domain does not exist or takes no mail. Providers call it a hard bounce.
 * - `expired`: temporary failures until a relay gave up. Providers call it a soft bounce.
 * - `refused`: every other cause, and every doubt.
 */
export type BounceCause = (typeof bounceCauses)[number]

/** A final report about one delivery. A delay or an automatic reply is no report. */
export interface DeliveryReport {
  readonly kind: ReportKind
  /** Only of a bounce: why, as far as it matters for the address. Default: by the codes and the text; without codes `mailbox_unknown`. */
  readonly cause?: BounceCause | undefined
  /** The code of the SMTP reply that the report quotes, such as 550. */
  readonly smtpCode?: number | null | undefined
  /** The enhanced code, such as `5.1.1` (RFC 3463). It decides what the bounce means when `cause` is absent. */
  readonly enhancedCode?: string | null | undefined
  /** What the remote system says, for people. Only the first 1,000 characters are kept. */
  readonly text?: string | null | undefined
}

declare const valid: unique symbol

/** A report that `parseDeliveryReport` has checked. */
export interface ValidDeliveryReport extends DeliveryReport {
  readonly [valid]: "report"
}

const textCharactersMax = 10_000

/** The form of an enhanced code (RFC 3463 §2). */
export const enhancedCodeForm = /^[245]\.\d{1,3}\.\d{1,3}$/

const Report = Schema.Struct({
  kind: Schema.Literals(reportKinds).annotate(says("invalid_value", `must be one of ${reportKinds.join(", ")}`)),
  cause: Schema.optionalKey(
    Schema.Literals(bounceCauses).annotate(says("invalid_value", `must be one of ${bounceCauses.join(", ")}`))
  ),
  smtpCode: Schema.optionalKey(Schema.NullOr(wholeOf(200, 599))),
  enhancedCode: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Schema.isPattern(enhancedCodeForm, says("invalid_value", "must be an enhanced code such as 5.1.1"))
      )
    )
  ),
  text: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Schema.isMaxLength(textCharactersMax, says("too_long", `must have at most ${textCharactersMax} characters`))
      )
    )
  )
})

/** Parses a report. Fails with all issues. */
export const parseDeliveryReport = decoder(Report) as Parser<unknown> as Parser<ValidDeliveryReport>
