/**
 * Signs an event delivery by Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`, once for each valid secret.
 */
import type { Crypto } from "../../port/Crypto.ts"

const prefix = "whsec_"
export const webhookSecretBytes = 32

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))

export const printWebhookSecret = (bytes: Uint8Array): string => prefix + toBase64(bytes)

/** Converts base64url, which the port returns, to base64, which the specification requires. */
const base64OfBase64Url = (text: string): string => {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/")
  return standard + "=".repeat((4 - (standard.length % 4)) % 4)
}

/** The headers of an event delivery. `timestamp` is in seconds. */
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
      const signingKey = fromBase64(secret.slice(prefix.length))
      return `v1,${base64OfBase64Url(crypto.hmacSha256(signingKey, `${id}.${timestamp}.${body}`))}`
    })
    .join(" ")
})
