/**
 * The settings that keep a transport from its relay until somebody corrects them.
 */
import type { SmtpReply } from "./SmtpReply.ts"

export const relaySettings = ["login", "certificate", "encryption"] as const
/**
 * A setting of the relay, or of the transport for it. The `login` is the user, the password or the access token. The `certificate` is that of the relay, with
 * the authority and the name that the transport expects. The `encryption` is whether the connection is encrypted, and how.
 */
export type RelaySetting = (typeof relaySettings)[number]

const asksForEncryption = /\bstarttls\b|\btls\b|\bencrypt/i

/** The setting that a refusal shows to be wrong; `null` if it is about something else (RFC 4954 §6, RFC 3207 §4). */
export const wrongSettingOfReply = ({ smtpCode, text }: SmtpReply): RelaySetting | null => {
  switch (smtpCode) {
    case 530:
      return asksForEncryption.test(text) ? "encryption" : "login"
    case 534:
    case 535:
      return "login"
    case 538:
      return "encryption"
    default:
      return null
  }
}
