/**
 * Rules for the options of the operator, such as the limits of the dispatcher. Each group of options has a closed table of rules beside its type.
 * Source: decision 0034.
 */
import { isRecord } from "./Fields.ts"

/** Says what is wrong with the value of an option, in a sentence that begins with the path of the option. `undefined` means that the value is valid. */
export type OptionRule = (value: unknown, path: string) => string | undefined

/** A rule for every option of a group. The compiler refuses a table without one of them. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule }

/** The options without the fields that are `undefined`, so that an absent value does not replace a default. */
export type Given<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> }

/** A rule with the valid form in words: "must be …". The sentence never shows the value, because a value can be a secret. */
export const mustBe =
  (form: string, isValid: (value: unknown) => boolean): OptionRule =>
  (value, path) =>
    isValid(value) ? undefined : `${path} must be ${form}.`

const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

/** An integer from `min` to `max`. `NaN`, an infinity and a number as text are none. */
export const wholeOption = (min: number, max: number): OptionRule =>
  mustBe(`a whole number from ${min} to ${max}`, (value) => isWhole(value, min, max))

/** The longest time of a timer, in milliseconds. A timer with a longer time ends at once. */
export const timerMillisMax = 2 ** 31 - 1

/** An integer from `min` to `max`, or `null` for the default. */
export const wholeOrNullOption = (min: number, max: number): OptionRule =>
  mustBe(`a whole number from ${min} to ${max}, or null`, (value) => value === null || isWhole(value, min, max))

/** `true` or `false`. */
export const flagOption: OptionRule = mustBe("true or false", (value) => typeof value === "boolean")

/** A function. */
export const functionOption: OptionRule = mustBe("a function", (value) => typeof value === "function")

/** A list whose items are all valid. `form` says in words what the items are. */
export const listOption = (form: string, isItem: (item: unknown) => boolean): OptionRule =>
  mustBe(`a list of ${form}`, (value) => Array.isArray(value) && value.every(isItem))

const pathTo = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** What a rule for a group of options knows of the group, beside the options. */
export interface OptionGroup<Options> {
  /** What the options belong to, such as `connectMail`, for the messages about options that have no path. Default: nothing. */
  readonly owner?: string
  /** The options that may not be absent. Default: none. */
  readonly required?: ReadonlyArray<keyof Options & string>
}

/** An object with options of these names alone. A field that is `undefined` counts as absent. */
export const optionsOf =
  <Options>(rules: OptionRules<Options>, { owner = "", required = [] }: OptionGroup<Options> = {}): OptionRule =>
  (value, path) => {
    const group = path === "" ? owner : path
    const ofGroup = group === "" ? "" : ` of ${group}`
    if (!isRecord(value)) return `${path === "" ? `The options${ofGroup}` : path} must be an object.`
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(rules, name))
    if (unknown !== undefined)
      return `${JSON.stringify(unknown)} is not an option${ofGroup}. The options are ${Object.keys(rules).join(", ")}.`
    for (const [name, rule] of Object.entries<OptionRule>(rules)) {
      const isAbsent = value[name] === undefined && !required.some((one) => one === name)
      const problem = isAbsent ? undefined : rule(value[name], pathTo(path, name))
      if (problem !== undefined) return problem
    }
    return undefined
  }

/** Throws a `TypeError` that names the first wrong option, because wrong options are a mistake in the program. */
export const assertOptions = (rule: OptionRule, options: unknown, path = ""): void => {
  const problem = rule(options, path)
  if (problem !== undefined) throw new TypeError(problem)
}

/** Drops the fields that are `undefined`. */
export const given = <Options extends object>(options: Options): Given<Options> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<Options>

/** Checks the options of a group as `assertOptions`, and drops the fields that are `undefined`. In an effect, the error is a defect. */
export const checkedOptions = <Options extends object>(
  path: string,
  rules: OptionRules<Options>,
  options: Options
): Given<Options> => {
  assertOptions(optionsOf(rules), options, path)
  return given(options)
}

/** Whether a value is text with a certificate in PEM (RFC 7468 §5.1). Does not read the certificate. */
export const hasPemCertificate = (value: unknown): value is string =>
  typeof value === "string" && /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(value)

/**
 * Says that the password of a URL is not encoded, without subject and full stop; otherwise `undefined`. The host ends at `/`, `?` or `#`. A password with
 * one of them would have its rest as the name of the host or of the database.
 */
export const unencodedPasswordProblem = (url: string): string | undefined =>
  /^\w+:\/\/[^/?#]*[/?#][^=]*@/.test(url)
    ? "has an @ behind its host. Encode the user and the password: / is %2F, ? is %3F, # is %23 and @ is %40"
    : undefined

const severalHosts = /,|%2c/i

/**
 * Says that the URL of a database names several hosts, without subject and full stop; otherwise `undefined`. Other drivers search the list for the primary.
 * `pg` takes it for the name of one host. The parameter `host` replaces the host of the URL.
 */
export const severalHostsProblem = (url: string): string | undefined => {
  const authority = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ""
  const hosts = [authority.slice(authority.lastIndexOf("@") + 1), /[?&]host=([^&#]*)/.exec(url)?.[1] ?? ""]
  return hosts.some((host) => severalHosts.test(host))
    ? "names several hosts, and pg connects to one. Give an address that always leads to the primary"
    : undefined
}
