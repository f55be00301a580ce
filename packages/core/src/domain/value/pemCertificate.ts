/**
 * Certificates as text.
 */

/** Whether a value is text with a certificate in PEM (RFC 7468 §5.1). Does not read the certificate. */
export const hasPemCertificate = (value: unknown): value is string =>
  typeof value === "string" && /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(value)
