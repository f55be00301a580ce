/**
 * The header fields whose value is no free text. A module of its own, so that a transport loads nothing else for it.
 */

/** Whether the field has ids of messages. The name is in lower case. Source: RFC 5322 §3.6.4. */
export const isIdField = (lower: string): boolean => lower === "in-reply-to" || lower === "references"

/** Fields that may have a name before the id or the address in angle brackets. Source: RFC 2919 §3; RFC 8098 §2.1. */
const namedFields: ReadonlySet<string> = new Set(["list-id", "disposition-notification-to"])

/** Whether the field may have a name before the id or the address in angle brackets. The transport encodes only this name. The name of the field is in lower case. */
export const isNamedField = (lower: string): boolean => namedFields.has(lower)

/**
 * Whether the field has ids, URLs, addresses or tokens, which may not become encoded words. The name of the field is in lower case. Source: RFC 2047 §5.
 */
export const isStructuredField = (lower: string): boolean =>
  lower.startsWith("list-") || isIdField(lower) || isNamedField(lower) || lower === "otp-token"
