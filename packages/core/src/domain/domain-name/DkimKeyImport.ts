/**
 * The import of a DKIM key that a domain has already. Source: decision 0103.
 */
import { Schema } from "effect"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"
import { textOf } from "../value/TextRule.ts"

/** A DKIM key that exists already. */
export interface ImportDkimKeyInput {
  /** The name of the key below `_domainkey`, such as `s1` (RFC 6376 §3.1). At most 63 characters. Ignores case. */
  readonly selector: string
  /** An RSA private key of 1024 to 4096 bits in PEM, without a passphrase: PKCS #8 or PKCS #1. */
  readonly privateKey: string
}

const selectorCharactersMax = 63

const selectorRule = textOf({ min: 1, max: selectorCharactersMax }).check(
  Schema.makeFilter(
    (text: string) =>
      text === "" ||
      text.length > selectorCharactersMax ||
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(text),
    says("invalid_value", "must be letters, digits and hyphens, or several such names with dots between them")
  )
)

const privateKeyCharactersMax = 16_384

const ImportDkimKey = Schema.Struct({
  selector: selectorRule,
  privateKey: textOf({ min: 1, max: privateKeyCharactersMax })
})

declare const valid: unique symbol
/** A DKIM key to import. `parseImportDkimKey` has checked everything but the form of the private key. */
export type ValidImportDkimKey = typeof ImportDkimKey.Type & { readonly [valid]: true }
export const parseImportDkimKey = decoder(ImportDkimKey) as Parser<ValidImportDkimKey>
