/**
 * Compiles examples with one run of the compiler, and runs each in a process of its own.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import type { Example } from "./examplesInText.ts"
import { statedOutput } from "./examplesInText.ts"
import { root } from "./workspace.ts"

/** An example that is still running after this time has failed. */
const limitMillis = 120_000

/** A folder beside the sources of this package, so that an example can import every package of the workspace by its name. */
export const inExampleFolder = async <A>(use: (folder: string) => Promise<A> | A): Promise<A> => {
  const folder = mkdtempSync(join(root, "packages/tools/.example-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const fileOf = (folder: string, n: number): string => join(folder, `${n}.ts`)

export const writeExamples = (folder: string, examples: ReadonlyArray<Example>): void => {
  examples.forEach(({ code }, n) => writeFileSync(fileOf(folder, n), code))
}

/** Compiles the project in the folder with the configuration. The errors have one line each, with a path from the folder. */
export const compilerErrors = (
  folder: string,
  config: object
): { readonly errors: ReadonlyArray<string>; readonly status: number | null } => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"],
    { cwd: folder, encoding: "utf8" }
  )
  // A line that begins with a space continues the message of the line before.
  return { errors: stdout.split("\n").filter((line) => /^\S/.test(line)), status }
}

/** An error of the compiler with the file and line of the example's source. `undefined` when it is not in an example. */
export const exampleComplaint = (error: string, examples: ReadonlyArray<Example>): string | undefined => {
  const [, n, lineNumber, message] = /^(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(error) ?? []
  const example = examples[Number(n)]
  return example === undefined ? undefined : `${example.file}:${example.line + Number(lineNumber) - 1}: ${message}`
}

/**
 * The errors of the compiler in the written examples, with the file and line of the example's source. The options are those of the repository.
 * Each example is a module, and may have an unused name.
 */
export const compileComplaints = (folder: string, examples: ReadonlyArray<Example>): ReadonlyArray<string> => {
  const { errors, status } = compilerErrors(folder, {
    extends: relative(folder, join(root, "tsconfig.json")),
    // An example may end with a program that the reader runs.
    compilerOptions: { moduleDetection: "force", noUnusedLocals: false },
    // The sources that an example imports may need declarations of packages without any.
    include: ["*.ts", relative(folder, join(root, "packages/*/src/**/*.d.ts"))]
  })
  const complaints = errors.flatMap((error) => exampleComplaint(error, examples) ?? [])
  const foreign = errors.length - complaints.length
  if (foreign > 0) return [...complaints, `${foreign} errors of the compiler are not in an example; run tsc`]
  return status !== 0 && complaints.length === 0 ? [`the compiler ended with ${status}`] : complaints
}

/** What runs an example. */
export interface ExampleRuntime {
  /** The command with the arguments before the file: the path of Node, or `deno run`. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The folder `node_modules` with the vitest that runs an example which is a test. */
  readonly modules: string
}

const workspaceRuntime: ExampleRuntime = { command: [process.execPath], modules: join(root, "node_modules") }

/** The lines of the error output that a complaint shows. */
const errorLinesMax = 12

export interface Run {
  readonly output: string
  /** Why the run failed, or `undefined`. */
  readonly problem: string | undefined
}

/** An example that is a test file of vitest. */
const isTest = (file: string): boolean => /from "vitest"/.test(readFileSync(file, "utf8"))

/** The arguments of the runtime for an example: the file, or vitest with the file as its only test. */
const argumentsOf = (file: string, modules: string): ReadonlyArray<string> => {
  if (!isTest(file)) return [file]
  const config = `${file.replace(/\.ts$/, "")}.vitest.mjs`
  writeFileSync(config, `export default { test: { include: [${JSON.stringify(basename(file))}] } }`)
  return [join(modules, "vitest/vitest.mjs"), "run", "--root", dirname(file), "--config", config]
}

/** Runs a file in an empty folder. A test file runs below vitest. */
export const runFile = (
  file: string,
  { command: [command, ...before], modules }: ExampleRuntime = workspaceRuntime
): Promise<Run> => {
  const cwd = mkdtempSync(join(tmpdir(), "mailkeep-example-"))
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile"),
      NO_COLOR: "1"
    }
    execFile(
      command,
      [...before, ...argumentsOf(file, modules)],
      { cwd, env, encoding: "utf8", timeout: limitMillis, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        rmSync(cwd, { recursive: true, force: true })
        if (error === null) resolve({ output: stdout, problem: undefined })
        else if (error.killed === true)
          resolve({ output: stdout, problem: `does not end within ${limitMillis / 1000} seconds` })
        else {
          const shown = stderr.trim().split("\n").slice(0, errorLinesMax).join("\n")
          resolve({ output: stdout, problem: `ends with the exit code ${error.code}\n${shown}` })
        }
      }
    )
  })
}

/** Whether the line begins with these words: "1" is not the beginning of "12". */
const beginsWithWords = (line: string, words: string): boolean =>
  line.startsWith(words) && !/^\w/.test(line.slice(words.length))

/** The differences between the output of an example and the output that its page states. */
export const outputComplaints = ({ code, prints }: Example, output: string): ReadonlyArray<string> => {
  if (prints !== undefined) return output === prints ? [] : [`prints\n${output}but its page states\n${prints}`]
  const lines = output.trim().split("\n")
  return statedOutput(code).flatMap((expected, n) =>
    beginsWithWords(lines[n] ?? "", expected)
      ? []
      : [`prints "${lines[n] ?? ""}", but its comment states "${expected}"`]
  )
}

const runComplaints = async (
  folder: string,
  example: Example,
  n: number,
  runtime: ExampleRuntime
): Promise<ReadonlyArray<string>> => {
  const { output, problem } = await runFile(fileOf(folder, n), runtime)
  const complaints = problem === undefined ? outputComplaints(example, output) : [problem]
  return complaints.map((complaint) => `${example.file}:${example.line}: ${complaint}`)
}

/** Runs the written examples, `atOnce` at a time. Leaves out an example that says why it is not run. */
export const runExamples = async (
  folder: string,
  examples: ReadonlyArray<Example>,
  atOnce: number,
  runtime: ExampleRuntime = workspaceRuntime
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const waiting = [...examples.entries()].filter(([, { notRunBecause }]) => notRunBecause === undefined)
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      found.push(...(await runComplaints(folder, next[1], next[0], runtime)))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found.toSorted()
}
