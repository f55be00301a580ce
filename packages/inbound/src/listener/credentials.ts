/**
 * The responses of a client during `AUTH`. Source: RFC 4616 §2 (PLAIN); RFC 4954 §4. LOGIN has no RFC; each of its responses is one value.
 */

/** A user and a password. */
export interface Credentials {
  readonly user: string
  readonly password: string
}

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Decodes a response. `=` is an empty response. Returns `undefined` if it is not base64 of UTF-8. Source: RFC 4954 §4. */
export const decodeResponse = (response: string): string | undefined => {
  if (response === "=") return ""
  if (!base64Form.test(response)) return undefined
  try {
    return utf8.decode(Buffer.from(response, "base64"))
  } catch {
    return undefined
  }
}

/** Parses the response of PLAIN: an identity to act as, a user and a password. Acting as another identity is not possible. */
export const parsePlain = (response: string): Credentials | undefined => {
  const [actAs, user, password, ...more] = response.split("\0")
  if (user === undefined || password === undefined || more.length > 0) return undefined
  return actAs === "" || actAs === user ? { user, password } : undefined
}
