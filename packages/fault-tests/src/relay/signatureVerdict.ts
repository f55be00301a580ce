/**
 * Checks DKIM signatures of received messages: they pass with every verifier, they cover the fields that they must, and they fail after any change.
 */
import type { DkimVerdict, DnsRecords } from "./peers/dkimVerifiers.ts"
import { verifierNames, verifyDkim } from "./peers/dkimVerifiers.ts"
import type { Spool, SpooledMail } from "./peers/Spool.ts"
import { makeSpool } from "./peers/Spool.ts"
import type { Tampering } from "./tampering.ts"
import { presentFields, signedFields, tamperings } from "./tampering.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

interface SignatureChecks {
  readonly counts: Readonly<Record<string, number>>
  readonly failures: ReadonlyArray<string>
}

/** Fields that a signature covers when the message has them. */
const signedIfPresent = [
  "from",
  "reply-to",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "mime-version",
  "content-type",
  "list-unsubscribe",
  "list-unsubscribe-post"
]
/** Fields of which the signature covers one more than the message has, so that nobody can add one. */
const oversigned = ["from", "reply-to", "to", "subject", "date", "content-type"]

const count = (list: ReadonlyArray<string>, name: string): number => list.filter((one) => one === name).length

/** What the signature of a message does not cover, but should. */
export const uncovered = (raw: Buffer): ReadonlyArray<string> => {
  const [signed, present] = [signedFields(raw), presentFields(raw)]
  return [
    ...signedIfPresent
      .filter((name) => count(signed, name) < count(present, name))
      .map((name) => `the signature does not cover ${name}`),
    ...oversigned
      .filter((name) => count(signed, name) <= count(present, name))
      .map((name) => `somebody can add another ${name}`)
  ]
}

/** A number of members, evenly spread over the list. */
const spread = <A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<A> =>
  list.filter((_, index) => Math.floor((index * size) / list.length) !== Math.floor(((index - 1) * size) / list.length))

const accepting = (verdict: DkimVerdict): ReadonlyArray<string> => verifierNames.filter((name) => verdict[name])

const idOf = (raw: Buffer): string => /^message-id:\s*(\S+)/im.exec(raw.toString("latin1"))?.[1] ?? "no Message-ID"

/** Verifies `signatures` of the messages, and all tamperings of `tampered` of them. */
export const signatureFailures = async (
  spool: Spool,
  mails: ReadonlyArray<SpooledMail>,
  {
    signatures,
    tampered,
    records
  }: { readonly signatures: number; readonly tampered: number; readonly records: DnsRecords }
): Promise<SignatureChecks> => {
  const failures: Array<string> = []
  const sample = spread(mails, signatures)
  for (const [index, verdict] of (await verifyDkim(spool, sample, records)).entries()) {
    const raw = spool.raw(sample[index]!)
    for (const name of verifierNames) if (!verdict[name]) failures.push(`${idOf(raw)}: ${name} refuses the signature`)
    failures.push(...uncovered(raw).map((what) => `${idOf(raw)}: ${what}`))
  }
  const folder = newFolder("mailkeep-tampered-")
  try {
    const changed = makeSpool(folder)
    const made = spread(mails, tampered).flatMap((mail): ReadonlyArray<Tampering> => tamperings(spool.raw(mail)))
    for (const { raw } of made) changed.add({ from: "", to: [], at: 0 }, raw)
    for (const [index, verdict] of (await verifyDkim(changed, changed.mails(), records)).entries())
      for (const name of accepting(verdict)) failures.push(`${made[index]!.what}: ${name} still accepts the signature`)
    if (made.length === 0) failures.push("no message has a signature that can be broken")
    return {
      counts: {
        [`signatures verified by ${verifierNames.join(", ")}`]: sample.length,
        "changed messages, each refused by all verifiers": made.length
      },
      failures
    }
  } finally {
    removeFolder(folder)
  }
}
