/**
 * Checks the form of the options of the SMTP transport: their names, and values that no later check looks at.
 */
type Names = Readonly<Record<string, true>>

/** The names of the options: of the transport, of each group of options, of those that are true or false, and the values of `tls`. */
export interface OptionNames {
  readonly options: Names
  readonly groups: Readonly<Record<string, Names>>
  readonly switches: ReadonlyArray<string>
  readonly tlsModes: Names
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const unknownOption = (value: object, known: object, where: string): string | undefined => {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name))
  return unknown === undefined
    ? undefined
    : `${JSON.stringify(unknown)} is not an option${where}. The options are ${Object.keys(known).join(", ")}.`
}

const authReason = (auth: unknown): string | undefined => {
  if (auth === undefined || auth === null) return undefined
  if (!isObject(auth)) return "auth must be an object with user and password, or with user and accessToken."
  if ("accessToken" in auth && typeof auth.accessToken !== "function") return "auth.accessToken must be a function."
  if ("method" in auth && auth.method !== undefined && auth.method !== "PLAIN" && auth.method !== "LOGIN")
    return 'auth.method must be "PLAIN" or "LOGIN".'
  return undefined
}

/**
 * Why the options have another form, or `undefined`. An option of another program, such as `secure` or `dkim`, would change nothing without a word. With an
 * unknown `tls`, the transport would encrypt only when the relay offers it.
 */
export const formReason = (given: unknown, names: OptionNames): string | undefined => {
  if (!isObject(given)) return "give the URL of the relay, or options with its host."
  const unknown = unknownOption(given, names.options, "")
  if (unknown !== undefined) return unknown
  const options = given as Readonly<Record<string, unknown>>
  for (const [name, known] of Object.entries(names.groups)) {
    const group = options[name]
    if (group === undefined || group === null) continue
    const reason = isObject(group) ? unknownOption(group, known, ` of ${name}`) : `${name} must be an object.`
    if (reason !== undefined) return reason
  }
  for (const name of names.switches)
    if (![undefined, null, true, false].includes(options[name] as undefined)) return `${name} must be true or false.`
  const { host, tls, auth } = options
  if (typeof host !== "string") return "host must be a host name or an IP address."
  if (tls !== undefined && tls !== null && !(typeof tls === "string" && Object.hasOwn(names.tlsModes, tls)))
    return `tls must be one of ${Object.keys(names.tlsModes).join(", ")}.`
  return authReason(auth)
}
