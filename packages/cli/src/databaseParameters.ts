/**
 * The options of a database as parameters of its URL, such as `?mailkeep_schema=mail`. The prefix keeps them apart from the parameters of `pg`, and from those
 * of other programs that use the same URL.
 */
import type { PostgresMailStore } from "@mailkeep/postgres"
import { Result } from "effect"

/** The options of the store, except those that say where the server is. */
export type DatabaseOptions = Omit<PostgresMailStore.PostgresOptions, "pool" | "connectionString"> & {
  readonly connectionsMax?: number
}

interface Parameter<A> {
  /** The option of the text, or `undefined` for a text of another form. */
  readonly read: (text: string) => A | undefined
  /** Completes the sentence "The parameter must be …". */
  readonly expects: string
}

const prefix = "mailkeep_"

/** Whether the text begins as the URL of a database does. */
export const hasDatabaseScheme = (text: string): boolean => /^postgres(ql)?:\/\//i.test(text)

/** `pg` also takes a URL with a user and without a host, for a socket of the machine. `URL` needs a host behind a user. */
const userWithoutHost = /^([a-z]+:\/\/[^/?#]*@)(?=\/)/i
const hostInPlace = "localhost"

/** The parts of the URL of a database, or `undefined` for another text. */
export const partsOf = (text: string): { readonly parts: URL; readonly hasHost: boolean } | undefined => {
  const complete = text.replace(userWithoutHost, `$1${hostInPlace}`)
  if (!hasDatabaseScheme(text) || !URL.canParse(complete)) return undefined
  const parts = new URL(complete)
  return { parts, hasHost: complete === text && parts.host !== "" }
}

const whole = (min: number, max: number): Parameter<number> => ({
  read: (text) =>
    /^[1-9]\d{0,5}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  expects: `a whole number from ${min} to ${max}`
})

const yesOrNo: Parameter<boolean> = {
  read: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  expects: "true or false"
}

/** The server cuts a longer name off. */
const schemaBytesMax = 63

/** Every option. The compiler refuses this list when the store has another option. */
const parameters: { readonly [Name in keyof Required<DatabaseOptions>]: Parameter<DatabaseOptions[Name]> } = {
  schema: {
    read: (text) => (text === "" || Buffer.byteLength(text) > schemaBytesMax ? undefined : text),
    expects: `the name of a schema with at most ${schemaBytesMax} bytes`
  },
  migrate: yesOrNo,
  partitions: whole(2, 64),
  connectionsMax: whole(1, 10_000),
  allowAsynchronousCommit: yesOrNo,
  storageKeepsCommits: yesOrNo,
  listen: {
    read: (text) => yesOrNo.read(text) ?? (partsOf(text) === undefined ? undefined : text),
    expects: "true, false, or the URL of the server, encoded as a part of a URL"
  }
}

/** The name of a parameter, such as `mailkeep_connections_max`. */
export const parameterOf = (option: keyof DatabaseOptions): string =>
  prefix + option.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const optionOf: ReadonlyMap<string, keyof DatabaseOptions> = new Map(
  (Object.keys(parameters) as ReadonlyArray<keyof DatabaseOptions>).map((option) => [parameterOf(option), option])
)

/** Takes the options out of the parts of a URL. Fails with a sentence that names the wrong parameter and does not show its value. */
export const takeOptions = ({
  parts: url,
  hasHost
}: NonNullable<ReturnType<typeof partsOf>>): Result.Result<
  { readonly url: string; readonly options: DatabaseOptions },
  string
> => {
  const rest = new URL(url)
  const options: Record<string, unknown> = {}
  for (const [name, text] of url.searchParams) {
    if (!name.startsWith(prefix)) continue
    const option = optionOf.get(name)
    if (option === undefined)
      return Result.fail(
        `${name} is not a parameter of Mailkeep. The parameters are ${[...optionOf.keys()].join(", ")}`
      )
    const value = parameters[option].read(text)
    if (value === undefined || Object.hasOwn(options, option))
      return Result.fail(`The parameter ${name} must be ${parameters[option].expects}, and be given once`)
    options[option] = value
    rest.searchParams.delete(name)
  }
  const { href } = rest
  return Result.succeed({ url: hasHost ? href : href.replace(`@${hostInPlace}/`, "@/"), options })
}
