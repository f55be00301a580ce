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

const fieldOf = (value: unknown, name: "code" | "cause"): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The text code of an error or of its cause. */
const codeOf = (error: unknown): string | null => {
  const codes = [fieldOf(fieldOf(error, "cause"), "code"), fieldOf(error, "code")]
  return codes.find((code) => typeof code === "string") ?? null
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : "")

/** `isSent` is `false` when the server certainly got nothing of the request. */
export const networkFailure = (
  error: unknown,
  withoutApiKey: (text: string) => string
): { readonly failure: MailUnreachable; readonly isSent: boolean } => {
  const code = codeOf(error)
  const texts = [textOf(error), textOf(fieldOf(error, "cause"))].filter((text) => text !== "")
  const detail = withoutApiKey([...texts, ...(texts.length === 0 ? ["the connection failed"] : [])].join(": "))
  return {
    failure: new MailUnreachable({
      reason: "network",
      code: code === null ? null : withoutApiKey(code),
      detail: detail.slice(0, detailCharactersMax)
    }),
    isSent: code === null || !notSentCodes.has(code)
  }
}
