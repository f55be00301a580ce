/**
 * Signs a push as Standard Webhooks says: HMAC-SHA-256 over `id.timestamp.body`, once for each secret in force.
 */
import type { Crypto } from "../port/Crypto.ts"

const prefix = "whsec_"
export const webhookSecretBytes = 32

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (octet) => octet.charCodeAt(0))

export const printWebhookSecret = (bytes: Uint8Array): string => prefix + toBase64(bytes)

/** The port speaks base64url; the specification asks for base64. */
const padded = (text: string): string => {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/")
  return standard + "=".repeat((4 - (standard.length % 4)) % 4)
}

/** The headers of a push. `timestamp` is in seconds. */
export const signedHeaders = (
  crypto: Crypto["Service"],
  secrets: ReadonlyArray<string>,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string }
): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": secrets
    .map((secret) => {
      const key = fromBase64(secret.slice(prefix.length))
      return `v1,${padded(crypto.hmacSha256(key, `${id}.${timestamp}.${body}`))}`
    })
    .join(" ")
})
