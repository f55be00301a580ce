/**
 * The regular expressions of the published packages that may take more than linear time, and those that a program builds, which no check can read. Each
 * has the reason for which it is fast nevertheless.
 */

/** An expression by its file and the beginning of its text, as `expressionsOf` returns it. */
export interface BoundedExpression {
  readonly file: string
  readonly start: string
  readonly why: string
}

const bounded = (file: string, start: string, why: string): BoundedExpression => ({
  file: `packages/${file}`,
  start,
  why
})

const eachPartBounded = "Each part of an address has a bound, and the tests of hostile mail read 10 MiB in time."
const constant = "The parts are constants, of which none repeats without a bound."

export const boundedExpressions: ReadonlyArray<BoundedExpression> = [
  bounded("core/src/domain/message/HeaderField.ts", "/<[^>]*>/g", "A value has at most 998 characters."),
  bounded(
    "core/src/domain/observability/bugReport.ts",
    String.raw`/^\s+at (?:.*[( ])?`,
    "A line has at most 1,000 characters."
  ),
  bounded("core/src/domain/delivery/refusalCause.ts", String.raw`/(?:"[^"\s<>]{1,80}"|`, eachPartBounded),
  bounded("http/src/server/docs.ts", "/<script>", "The page is our own."),
  bounded("inbound/src/reports/textBounce.ts", String.raw`/\bMSEXCH:.{0,300}`, "At most 300 characters for each name."),

  // Built by the program.
  bounded("core/src/domain/contact/addressRedaction.ts", "new RegExp(patternOf(", "Only a list of extensions repeats."),
  bounded("core/src/domain/delivery/refusalCause.ts", "new RegExp(`\\\\b(?:unknown|", constant),
  bounded("core/src/domain/delivery/refusalCause.ts", "new RegExp( `\\\\b${mailboxNoun}", constant),
  bounded("core/src/domain/delivery/refusalCause.ts", "new RegExp(`<?(?:${addressSource}", eachPartBounded),
  bounded("core/src/domain/message/mediaTypes.ts", "new RegExp(`^${restrictedName}/", constant),
  bounded("core/src/domain/template/TemplateInput.ts", "new RegExp(`^$|^(?!${templateIdPrefix}", constant),
  bounded("http/src/mailbox/preview.ts", "new RegExp( `", "The id of a file is escaped."),
  bounded("http/src/mailbox/preview.ts", "new RegExp(`<(?=", constant),
  bounded("inbound/src/reports/addresses.ts", "new RegExp(addressSource", eachPartBounded),
  bounded("inbound/src/reports/addresses.ts", "new RegExp(`^(?:${addressSource}", eachPartBounded),
  bounded("inbound/src/reports/textBounce.ts", "new RegExp( `^", eachPartBounded),
  bounded("testing/src/capturingTransport.ts", "new RegExp(`^${address", "The address is escaped."),
  bounded("testing/src/capturingTransport.ts", "new RegExp(to.source", "The test that uses it gives it.")
]
