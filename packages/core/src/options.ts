/**
 * Rules for the options of a function or of an adapter. A wrong option is named in a sentence, and its value is never shown.
 *
 * @example
 * ```ts
 * import { assertOptions, optionsOf, wholeOption } from "@mailkeep/core/options"
 *
 * const rule = optionsOf({ retries: wholeOption(0, 100) }, { owner: "connect" })
 * assertOptions(rule, { retries: 3 })
 * console.log(rule({ retries: "3" }, "")) // retries must be a whole number from 0 to 100.
 * console.log(rule({ retry: 3 }, "")) // "retry" is not an option of connect. The options are retries.
 * ```
 */
export {
  assertOptions,
  flagOption,
  functionOption,
  given,
  hasPemCertificate,
  listOption,
  mustBe,
  optionsOf,
  severalHostsProblem,
  timerMillisMax,
  unencodedPasswordProblem,
  wholeOption,
  wholeOrNullOption
} from "./domain/value/OptionRule.ts"
export { isBytes } from "./domain/value/Bytes.ts"
export { isFields, isRecord } from "./domain/value/Fields.ts"
export { shownText } from "./domain/value/shownText.ts"
export { timeOfDate } from "./domain/value/timeOfDate.ts"
export type { Given, OptionGroup, OptionRule, OptionRules } from "./domain/value/OptionRule.ts"
