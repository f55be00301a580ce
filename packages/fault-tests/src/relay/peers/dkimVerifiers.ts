/**
 * Verifies DKIM signatures with three implementations of other authors: dkimpy (Python), OpenDKIM (C) and mailauth (JavaScript).
 */
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { runPython } from "./pythonPeer.ts"
import type { Spool, SpooledMail } from "./Spool.ts"

/** Text records by their full name, such as `s1._domainkey.shop.test`. */
export type DnsRecords = Readonly<Record<string, string>>

export const verifierNames = ["dkimpy", "opendkim", "mailauth"] as const
type VerifierName = (typeof verifierNames)[number]

/** Which verifiers accept the signature of a message. */
export type DkimVerdict = Readonly<Record<VerifierName, boolean>>

const stringMax = 255

const byMailauth = async (raw: Buffer, records: DnsRecords): Promise<boolean> => {
  const resolver = async (name: string, type: string): Promise<Array<Array<string>>> => {
    const value = type === "TXT" ? records[name.toLowerCase()] : undefined
    if (value === undefined) throw Object.assign(new Error("There is no such record."), { code: "ENOTFOUND" })
    return [value.match(new RegExp(`.{1,${stringMax}}`, "gs")) ?? []]
  }
  const { results } = await dkimVerify(raw, { resolver })
  return results.some(({ status }) => status.result === "pass")
}

/** The verdict of each verifier for each message. */
export const verifyDkim = async (
  spool: Spool,
  mails: ReadonlyArray<SpooledMail>,
  records: DnsRecords
): Promise<ReadonlyArray<DkimVerdict>> => {
  const first = [records]
  const wrapper = ["unshare", "--net", "--mount"]
  const [dkimpy, opendkim] = await Promise.all([
    runPython<boolean>("verifyDkim.py", spool, mails, { first }),
    runPython<boolean>("verifyOpendkim.py", spool, mails, { first, wrapper })
  ])
  const verdicts: Array<DkimVerdict> = []
  for (const [index, mail] of mails.entries()) {
    const mailauth = await byMailauth(spool.raw(mail), records)
    verdicts.push({ dkimpy: dkimpy[index]!, opendkim: opendkim[index]!, mailauth })
  }
  return verdicts
}
