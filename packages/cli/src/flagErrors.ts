/**
 * Writes the complaints about wrong arguments to standard error. The complaint about the value of a flag is in the words of its user, without the words of
 * a schema. When the flag was not given, the value is that of an environment variable, so the complaint has the name of the variable.
 */
import { Config, Console, Effect, Option } from "effect"
import { CliError, CliOutput } from "effect/cli"
import { fromEnvironment } from "./flags.ts"

const isGiven = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`))

/** Begins the expectation of a flag with a schema. The sentence of the schema follows. */
const schemaPrefix = "Schema validation failed: "

/** A variable that is no number fails with the error of a schema. That of another form fails as the flag does. */
const isSchemaError = (expected: string): boolean => expected.startsWith("SchemaError(")

/** The same error without the words of the schema, and with the name of the variable, if the flag is absent and the variable is set. */
const plainError = (args: ReadonlyArray<string>) => (error: CliError.NonShowHelpErrors) => {
  if (error._tag !== "InvalidValue" || error.kind !== "flag") return Effect.succeed(error)
  const { option, value, kind } = error
  const expected = error.expected.startsWith(schemaPrefix) ? error.expected.slice(schemaPrefix.length) : error.expected
  const plain = new CliError.InvalidValue({ option, value, expected, kind })
  if (isGiven(args, option)) return Effect.succeed(plain)
  const variable = fromEnvironment(option.toUpperCase().replaceAll("-", "_"))
  return Config.option(Config.String(variable)).pipe(
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.map(
      Option.match({
        onNone: () => plain,
        onSome: (text) => {
          const [shown, form] = isSchemaError(expected) ? [text, "Expected a whole number"] : [value, expected]
          return new CliError.InvalidValue({
            option,
            value: shown,
            expected: `${form}. The value is that of ${variable}`,
            kind
          })
        }
      })
    )
  )
}

const { present } = CliOutput.defaultPresenter

/** Prints the help and the complaints on standard error, because a script reads standard output. */
const complain = (event: CliOutput.Presenter.Event): Effect.Effect<void> =>
  Effect.flatMap(Console.Console, (console) =>
    Effect.provideService(present(event), Console.Console, { ...console, log: console.error })
  )

/** Prints what the command prints for these arguments, with plain complaints about the values of flags. */
export const plainFlagErrors = (args: ReadonlyArray<string>) =>
  CliOutput.layerPresenter({
    present: (event) =>
      event._tag === "InvalidInvocation"
        ? Effect.flatMap(Effect.forEach(event.errors, plainError(args)), (errors) => complain({ ...event, errors }))
        : present(event)
  })
