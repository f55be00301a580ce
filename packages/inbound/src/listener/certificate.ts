/**
 * The certificate of a listener. A function that returns it is asked again each minute, so that a renewed certificate needs no restart.
 */
import { makeLogLimit } from "@mailkeep/core/binding"
import { Data, Effect } from "effect"
import type { Scope } from "effect"
import { constants, X509Certificate } from "node:crypto"
import type { SecureContext } from "node:tls"
import { createSecureContext } from "node:tls"

/** A certificate with its chain, and its private key, in PEM. */
export interface TlsOptions {
  /** The certificate, followed by the certificates of its chain. */
  readonly cert: string | Uint8Array
  /** The private key, without a passphrase. */
  readonly key: string | Uint8Array
}

/** Returns the certificate and the key that are valid now, such as those of two files. */
export type ReadTls = () => TlsOptions | PromiseLike<TlsOptions>

/** The function failed or took too long, or the certificate and the key are not usable or do not belong together. */
export class CertificateNotUsable extends Data.TaggedError("CertificateNotUsable")<{
  /** The code of the error, such as `ENOENT`, if it has one. */
  readonly code: string | null
}> {}

/** How long a listener uses a certificate before it asks again. */
const renewalMillis = 60_000

/** How long the function may take. */
const readMillisMax = 10_000

/** One warning in this time while the certificate cannot be renewed. */
const warningMillis = 3_600_000

/** The certificate in use, with its settings for a connection. */
interface UsedCertificate {
  readonly cert: Buffer
  readonly key: Buffer
  readonly secureContext: SecureContext
}

/** Only the code, because a text of OpenSSL or of a function can contain anything. */
const notUsable = (cause: unknown): CertificateNotUsable => {
  const code: unknown = (cause as { readonly code?: unknown } | null | undefined)?.code
  const isCode = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)
  return new CertificateNotUsable({ code: isCode ? code : null })
}

const answerOf = (tls: TlsOptions | ReadTls): Effect.Effect<TlsOptions, CertificateNotUsable> =>
  typeof tls !== "function"
    ? Effect.succeed(tls)
    : Effect.tryPromise({ try: async () => tls(), catch: notUsable }).pipe(
        Effect.timeoutOrElse({
          duration: readMillisMax,
          orElse: () => Effect.fail(new CertificateNotUsable({ code: "ETIMEDOUT" }))
        })
      )

const usedOf = (tls: TlsOptions): Effect.Effect<UsedCertificate, CertificateNotUsable> =>
  Effect.try({
    try: () => {
      const [cert, key] = [Buffer.from(tls.cert), Buffer.from(tls.key)]
      const secureContext = createSecureContext({
        cert,
        key,
        minVersion: "TLSv1.2",
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION
      })
      return { cert, key, secureContext }
    },
    catch: notUsable
  })

const validUntil = ({ cert }: UsedCertificate): string => new X509Certificate(cert).validToDate.toISOString()

/**
 * Returns a function that gives the TLS settings for a connection that begins TLS now. Fails if the first certificate is not usable. A later one that is not
 * usable changes nothing, and is logged once an hour.
 */
export const openCertificate = (
  tls: TlsOptions | ReadTls
): Effect.Effect<() => SecureContext, CertificateNotUsable, Scope.Scope> =>
  Effect.gen(function* () {
    const read = Effect.flatMap(answerOf(tls), usedOf)
    let used = yield* read
    const { logLine } = makeLogLimit(warningMillis)

    const renew = Effect.flatMap(read, (next) => {
      if (next.cert.equals(used.cert) && next.key.equals(used.key)) return Effect.void
      used = next
      return Effect.logInfo("The listener uses the renewed certificate.", { validUntil: validUntil(used) })
    })
    const warn = ({ code }: CertificateNotUsable) =>
      logLine("certificate", (counted) =>
        Effect.logWarning("The certificate cannot be renewed. The listener keeps the last one.", {
          ...(code === null ? {} : { code }),
          validUntil: validUntil(used),
          ...counted
        })
      )
    if (typeof tls === "function")
      yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.catch(renew, warn), renewalMillis)))
    return () => used.secureContext
  })
