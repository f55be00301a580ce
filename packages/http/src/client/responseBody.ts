/**
 * Reads the body of a response, within a bound.
 */
import { UnexpectedResponse } from "./failures.ts"

/** A response whose body was read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** `undefined` for a body that is not JSON. */
  readonly json: unknown
}

const tooLarge = (status: number, bytesMax: number): UnexpectedResponse =>
  new UnexpectedResponse({ status, detail: `the body has more than ${bytesMax} bytes` })

const readBytes = async (response: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = response.body!.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > bytesMax) {
      // The connection closes. Nobody waits for it.
      reader.cancel().catch(() => {})
      throw tooLarge(response.status, bytesMax)
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the response. Rejects with `UnexpectedResponse` when its body has more than `bytesMax` bytes. */
export const readAnswer = async (response: Response, bytesMax: number): Promise<Answer> => {
  const bytes = response.body === null ? new Uint8Array() : await readBytes(response, bytesMax)
  return { status: response.status, headers: response.headers, json: parsed(new TextDecoder().decode(bytes)) }
}
