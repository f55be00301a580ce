/**
 * Makes the DKIM keys of sender domains, and reads those of a caller. Generates one key at a time, because this takes about 40 ms of processor time.
 */
import { Effect } from "effect"
import type { NewDkimKey } from "../../decide/domain-name/senderDomain.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { ImportDkimKeyInput } from "../../domain/domain-name/DkimKeyImport.ts"
import type { MailHost } from "../../domain/domain-name/SenderDomain.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Crypto, RsaKeyPair } from "../../port/Crypto.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { sharedWork } from "../boundedWork.ts"
import { logWarningOnce } from "../observability/logOnce.ts"

/** The mail host in the DNS records of a domain, if the operator sets none. */
export const defaultHost = "localhost"

/** Each project waits for one key at a time, so that the keys of one project delay those of another by one key. */
const keysBound = { atOnce: 1, ofKey: { atOnce: 1, waitingMax: 16 } }
const generatedSelector = "mailkeep"

interface Deps {
  readonly crypto: Pick<Crypto["Service"], "rsaKeyPair" | "rsaKeyPairOf">
  readonly encrypt: (text: string) => string
  readonly host: MailHost
}

export interface DkimKeys {
  /** Makes a key for a domain of the project. */
  readonly generate: (projectId: ProjectId) => Effect.Effect<NewDkimKey, StoreUnavailable>
  /** The key of a caller. Fails when the text is no private key that can sign mail. */
  readonly read: (given: ImportDkimKeyInput) => Effect.Effect<NewDkimKey, InvalidArgument>
}

const privateKeyRefused = () =>
  new InvalidArgument({
    argument: "input",
    issues: [
      issue(
        ["privateKey"],
        "invalid_value",
        "must be an RSA private key of 1024 to 4096 bits in PEM, without a passphrase and with its line breaks"
      )
    ]
  })

/** Returns the functions that make and read keys. They warn once if the mail host is the default, because each key is for new DNS records, which contain the host. */
export const makeDkimKeys = ({ crypto, encrypt, host }: Deps): DkimKeys => {
  const generate = sharedWork(keysBound)
  const warnDefaultHost = logWarningOnce(
    `The DNS records of a domain contain the default mail host ${defaultHost}. Set \`mailHost\` of \`openMail\`, \`domains.mailHost\` of \`MailCore.layerWith\`, or the flag --mail-host, before customers publish them.`
  )
  const warn = host.host === defaultHost ? warnDefaultHost : Effect.void
  const keyOf = (selector: string, { privateKey, publicKey }: RsaKeyPair): NewDkimKey => ({
    selector,
    encryptedPrivateKey: encrypt(privateKey),
    publicKey
  })
  return {
    generate: (projectId) =>
      Effect.andThen(
        warn,
        Effect.map(generate(projectId, crypto.rsaKeyPair), (pair) => keyOf(generatedSelector, pair))
      ),
    read: ({ selector, privateKey }) =>
      Effect.suspend(() => {
        const pair = crypto.rsaKeyPairOf(privateKey)
        if (pair === null) return Effect.fail(privateKeyRefused())
        return Effect.as(warn, keyOf(selector.toLowerCase(), pair))
      })
  }
}
