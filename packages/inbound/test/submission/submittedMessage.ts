/**
 * Reads messages that a test submits, and writes multiparts.
 */
import { Result } from "effect"
import { readMessage } from "../../src/submission/messageReader.ts"

export const read = async (lines: ReadonlyArray<string>) =>
  Result.getOrThrowWith(await readMessage(Buffer.from(lines.join("\r\n"), "latin1")), (fault) => new Error(fault))

export const faultOf = async (text: string) => {
  const result = await readMessage(Buffer.from(text, "latin1"))
  return Result.isFailure(result) ? result.failure : null
}

export const multipart = (type: string, ...parts: ReadonlyArray<ReadonlyArray<string>>) => [
  `Content-Type: multipart/${type}; boundary="=_b"`,
  "",
  "preamble",
  ...parts.flatMap((part) => ["--=_b", ...part]),
  "--=_b--",
  "epilogue"
]

export const text = (content: Uint8Array) => Buffer.from(content).toString("latin1")
