/**
 * Runs a Python program over messages of a spool: one line of JSON in for each message, one line of JSON out.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { environment, python } from "./installed.ts"
import type { Spool, SpooledMail } from "./Spool.ts"
import { owned } from "@mailkeep/test-support/runEnd"

/** Runs the program in `peers`, with the spool as its argument. `first` is the first line of its input. `wrapper` starts the program. */
export const runPython = async <A>(
  program: string,
  spool: Spool,
  mails: ReadonlyArray<SpooledMail>,
  {
    first = [],
    wrapper = []
  }: { readonly first?: ReadonlyArray<unknown>; readonly wrapper?: ReadonlyArray<string> } = {}
): Promise<ReadonlyArray<A>> => {
  const script = fileURLToPath(new URL(program, import.meta.url))
  const [command, ...args] = [...wrapper, python, script, spool.file]
  const child = owned(spawn(command!, args, { stdio: ["pipe", "pipe", "pipe"], env: environment }))
  const pieces: Array<Buffer> = []
  let errorOutput = ""
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece))
  child.stderr.on("data", (piece: Buffer) => (errorOutput = (errorOutput + piece.toString()).slice(-4000)))
  child.stdin.on("error", () => {})
  const ended = once(child, "close")
  const lines = [...first, ...mails.map(({ offset, length }) => ({ offset, length }))]
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const [code] = (await ended) as [number | null]
  const answers = Buffer.concat(pieces).toString("utf8").split("\n").slice(0, -1)
  if (code !== 0 || answers.length !== mails.length)
    throw new Error(`${program} ended with ${code}, ${answers.length} of ${mails.length} answers: ${errorOutput}`)
  return answers.map((line) => JSON.parse(line) as A)
}
