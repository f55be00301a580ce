/**
 * Converts the error of a `fetch` that got no answer. Shows the code and the text of the error, without the API key.
 */
import { MailUnreachable } from "./failures.ts"

/** The codes of errors before the request: no connection was made. Node, Bun and undici use them. */
const notSentCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused"
])

const detailCharactersMax = 200

/** The calls of the system on a connection that was made. One of the codes can be that of such a call, when the host became unreachable later. */
const connectedCalls = new Set(["read", "write", "writev", "shutdown"])

const fieldOf = (value: unknown, name: "code" | "cause" | "syscall"): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The text of a field of an error or of its cause. */
const textField = (error: unknown, name: "code" | "syscall"): string | null => {
  const values = [fieldOf(fieldOf(error, "cause"), name), fieldOf(error, name)]
  return values.find((value) => typeof value === "string") ?? null
}

const isNotSent = (error: unknown): boolean =>
  notSentCodes.has(textField(error, "code") ?? "") && !connectedCalls.has(textField(error, "syscall") ?? "")

const textOf = (error: unknown): string => (error instanceof Error ? error.message : "")

/** Why a request has no answer. */
export interface NetworkFailure {
  readonly failure: MailUnreachable
  /** `false` when the server certainly got nothing of the request. */
  readonly isSent: boolean
}

export const networkFailure = (error: unknown, withoutApiKey: (text: string) => string): NetworkFailure => {
  const code = textField(error, "code")
  const texts = [textOf(error), textOf(fieldOf(error, "cause"))].filter((text) => text !== "")
  const detail = withoutApiKey([...texts, ...(texts.length === 0 ? ["the connection failed"] : [])].join(": "))
  return {
    failure: new MailUnreachable({
      reason: "network",
      code: code === null ? null : withoutApiKey(code),
      detail: detail.slice(0, detailCharactersMax)
    }),
    isSent: !isNotSent(error)
  }
}
