/**
 * The two files with the certificate of the SMTP ports. The listeners read them again each minute, so that a renewed certificate needs no restart.
 */
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import type { ReadTls } from "@mailkeep/inbound"
import { Data, Effect } from "effect"
import type { FileFailed } from "./files.ts"
import { onFile } from "./files.ts"

/** What the flags say about the certificate. */
export interface CertificateFlags {
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
}

/** Only one of the two files of the certificate is given. */
export class CertificateIncomplete extends Data.TaggedError("CertificateIncomplete") {
  override readonly message = "give both --tls-cert and --tls-key"
}

/** Returns the option `tls` of a listener. Fails with the path of a file that cannot be read now. */
export const certificateOf = ({
  tlsCert,
  tlsKey
}: CertificateFlags): Effect.Effect<{ readonly tls?: ReadTls }, CertificateIncomplete | FileFailed> => {
  if (tlsCert === undefined && tlsKey === undefined) return Effect.succeed({})
  if (tlsCert === undefined || tlsKey === undefined) return Effect.fail(new CertificateIncomplete())
  const readable = (path: string) => onFile("read", path, () => readFileSync(path))
  const tls = async () => ({ cert: await readFile(tlsCert), key: await readFile(tlsKey) })
  return Effect.as(Effect.andThen(readable(tlsCert), readable(tlsKey)), { tls })
}
