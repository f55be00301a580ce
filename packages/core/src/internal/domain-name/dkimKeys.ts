/**
 * Makes the DKIM keys of sender domains. Generates one key at a time, because this takes about 40 ms of processor time.
 */
import { Effect } from "effect"
import type { NewDkimKey } from "../../decide/domain-name/senderDomain.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { MailHost } from "../../domain/domain-name/SenderDomain.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { sharedWork } from "../boundedWork.ts"
import { logWarningOnce } from "../observability/logOnce.ts"

/** The mail host in the DNS records of a domain, if the operator sets none. */
export const defaultHost = "localhost"

/** Each project waits for one key at a time, so that the keys of one project delay those of another by one key. */
const keysBound = { atOnce: 1, ofKey: { atOnce: 1, waitingMax: 16 } }
const selector = "mailkeep"

interface Deps {
  readonly crypto: Pick<Crypto["Service"], "rsaKeyPair">
  readonly encrypt: (text: string) => string
  readonly host: MailHost
}

/** Returns the function that makes a key for a project. Warns once if the mail host is the default, because each key is for new DNS records, which contain the host. */
export const makeDkimKeys = ({
  crypto,
  encrypt,
  host
}: Deps): ((projectId: ProjectId) => Effect.Effect<NewDkimKey, StoreUnavailable>) => {
  const generate = sharedWork(keysBound)
  const warnDefaultHost = logWarningOnce(
    `The DNS records of a domain contain the default mail host ${defaultHost}. Set \`mailHost\` of \`openMail\`, \`domains.mailHost\` of \`MailCore.layerWith\`, or the flag --mail-host, before customers publish them.`
  )
  return (projectId) =>
    Effect.andThen(
      host.host === defaultHost ? warnDefaultHost : Effect.void,
      Effect.map(generate(projectId, crypto.rsaKeyPair), ({ privateKey, publicKey }) => ({
        selector,
        encryptedPrivateKey: encrypt(privateKey),
        publicKey
      }))
    )
}
