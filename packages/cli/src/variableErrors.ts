/**
 * Names the environment variable in the complaint about the value of a flag that was not given, because the value is that of the variable.
 */
import { Config, Effect, Option } from "effect"
import { CliError, CliOutput } from "effect/cli"
import { fromEnvironment } from "./flags.ts"

const isGiven = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`))

/** A variable that is no number fails with the error of a schema. That of another form fails as the flag does. */
const isSchemaError = (expected: string): boolean => expected.startsWith("SchemaError(")

/** The same error with the name of the variable, if the flag is absent and the variable is set. */
const namingVariable = (args: ReadonlyArray<string>) => (error: CliError.NonShowHelpErrors) => {
  if (error._tag !== "InvalidValue" || error.kind !== "flag" || isGiven(args, error.option))
    return Effect.succeed(error)
  const { option, value, expected, kind } = error
  const variable = fromEnvironment(option.toUpperCase().replaceAll("-", "_"))
  return Config.option(Config.String(variable)).pipe(
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.map(
      Option.match({
        onNone: () => error,
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

/** Prints what the command prints for these arguments. An error in the value of a variable has the name of the variable. */
export const namingVariables = (args: ReadonlyArray<string>) =>
  CliOutput.layerPresenter({
    present: (event) =>
      event._tag === "InvalidInvocation"
        ? Effect.flatMap(Effect.forEach(event.errors, namingVariable(args)), (errors) => present({ ...event, errors }))
        : present(event)
  })
