/**
 * The signatures of delivery tokens, from the keys of the core.
 */
import type { TokenVerifier } from "../../domain/delivery/DeliveryToken.ts"
import type { Crypto } from "../../port/Crypto.ts"

/** `purpose` separates the tokens of return paths from those of links. The hash gives the signature an alphabet of lower-case digits. */
export const tokenVerifier = (
  { sha256, equal }: Pick<Crypto["Service"], "sha256" | "equal">,
  signer: (purpose: string) => (text: string) => string,
  purpose: "return-path" | "unsubscribe"
): TokenVerifier => {
  const sign = signer(purpose)
  return { sign: (text) => sha256(sign(text)), equal }
}
