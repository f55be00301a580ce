/**
 * Compares the reader with an independent decoder on bounces of real mail systems. The messages are not part of the repository: they are read
 * from `../shared/data/bounces` beside it. Without them the comparison is skipped, and a printed sentence says so.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { DeliveryStatusReport, MailReports } from "../../src/reports/MailReport.ts"
import { bounceTypeOf } from "./sampleMail.ts"
import { readReports } from "../../src/reports/readReports.ts"

const corpus = fileURLToPath(new URL("../../../../../shared/data/bounces", import.meta.url))
const hasCorpus = existsSync(join(corpus, "expected.json"))
const print = (text: string) => process.stdout.write(`${text}\n`)
if (!hasCorpus)
  print(
    "SKIPPED: the bounces of real mail systems are not beside the repository, so the reader is not compared with them."
  )

/** What the other decoder reads about one recipient. */
interface Expected {
  readonly recipient: string
  readonly action: "failed" | "delayed" | ""
  readonly feedback: string
  readonly hard: boolean
  readonly reason: string
}

/** Why the two readings differ, where the difference is intended. */
type Difference =
  | "a report of a delay is not final"
  | "the report itself says that it is final"
  | "an existing mailbox (5.2.1) is no unknown one"
  | "the words alone, without a reply to RCPT or a specific code, are no proof"
  | "a notification in JSON is no bounce message"

interface Compared {
  readonly file: string
  readonly isStandard: boolean
  readonly recipient: string
  readonly agrees: boolean
  readonly isFalseHard: boolean
  readonly difference: Difference | null
  readonly detail: string
}

const standardPart = /^content-type:\s*"?message\/(?:global-)?(?:delivery-status|feedback-report)/im

const statusOf = ({ reports }: MailReports, address: string): DeliveryStatusReport | undefined =>
  reports
    .filter((report) => report._tag === "DeliveryStatus")
    .find(({ recipient }) => recipient?.toLowerCase() === address.toLowerCase())

/** The other decoder invents an address in `.invalid` where the report hides the recipient. */
const agreesOnComplaint = (read: MailReports, { recipient, feedback }: Expected): boolean => {
  const [report] = read.reports
  if (report?._tag !== "Complaint" || report.feedbackType !== feedback) return false
  return recipient.endsWith(".invalid")
    ? report.recipients.length === 0
    : report.recipients.some((each) => each.toLowerCase() === recipient.toLowerCase())
}

const differenceOf = (raw: string, report: DeliveryStatusReport | undefined, expected: Expected): Difference | null => {
  if (report === undefined)
    return /^\{"notificationType":/m.test(raw) ? "a notification in JSON is no bounce message" : null
  if (report.action === "delayed" && expected.action === "failed") return "a report of a delay is not final"
  if (report.action === "failed" && expected.action === "delayed")
    return report.cause === "expired" ? "the report itself says that it is final" : null
  if (report.enhancedCode === "5.2.1") return "an existing mailbox (5.2.1) is no unknown one"
  const isUnproved = report.cause === "refused" && report.command !== "rcpt" && report.enhancedCode === null
  return isUnproved ? "the words alone, without a reply to RCPT or a specific code, are no proof" : null
}

const compare = (file: string, raw: Buffer, read: MailReports, expected: Expected): Compared => {
  const content = raw.toString("latin1")
  const report = statusOf(read, expected.recipient)
  const isHard = report !== undefined && bounceTypeOf(report) === "hard"
  const agrees =
    expected.reason === "feedback"
      ? agreesOnComplaint(read, expected)
      : report !== undefined &&
        (report.action === "failed") === (expected.action === "failed") &&
        isHard === expected.hard
  return {
    file,
    isStandard: standardPart.test(content),
    recipient: expected.recipient,
    agrees,
    isFalseHard: isHard && !expected.hard,
    difference: agrees ? null : differenceOf(content, report, expected),
    detail: `expected ${expected.action}, ${expected.hard ? "hard" : "not hard"} (${expected.reason}); read ${report?.action ?? read.kind}, ${report?.cause ?? "no cause"}`
  }
}

const readCorpus = () => {
  const all = JSON.parse(readFileSync(join(corpus, "expected.json"), "utf8")) as Record<string, ReadonlyArray<Expected>>
  return Object.entries(all).map(([file, expected]) => {
    const raw = readFileSync(join(corpus, "mail", file))
    const read = readReports(raw)
    return { file, expected, read, compared: expected.map((each) => compare(file, raw, read, each)) }
  })
}

const share = (compared: ReadonlyArray<Compared>) => compared.filter(({ agrees }) => agrees).length / compared.length

const counted = (name: string, compared: ReadonlyArray<Compared>) =>
  `${name}: the readers agree on ${compared.filter(({ agrees }) => agrees).length} of ${compared.length} recipients.`

describe.skipIf(!hasCorpus)("readReports, compared with another decoder on bounces of real mail systems", () => {
  const messages = hasCorpus ? readCorpus() : []
  const compared = messages.flatMap((message) => message.compared)
  const standard = compared.filter(({ isStandard }) => isStandard)

  it("agrees on at least 95 % of the recipients in reports of RFC 3464 and RFC 5965", () => {
    print(counted("RFC 3464 and RFC 5965", standard))
    print(counted("All", compared))
    for (const { agrees, isStandard, file, recipient, detail, difference } of compared)
      if (!agrees)
        print(
          `- ${isStandard ? "standard" : "free text"}, ${file}, ${recipient}: ${detail}. Reason: ${difference ?? "none"}.`
        )
    expect(standard.length).toBeGreaterThan(100)
    expect(share(standard)).toBeGreaterThanOrEqual(0.95)
    expect(share(compared)).toBeGreaterThanOrEqual(0.9)
  })

  it("reports no hard bounce where the other decoder reads none", () => {
    expect(compared.filter(({ isFalseHard }) => isFalseHard)).toEqual([])
  })

  it("differs only for a known reason", () => {
    expect(compared.filter(({ agrees, difference }) => !agrees && difference === null)).toEqual([])
  })

  it("reports only recipients that the other decoder reads too", () => {
    const more = messages.flatMap(({ file, expected, read }) =>
      read.reports.flatMap((report) =>
        report._tag === "DeliveryStatus" &&
        !expected.some(({ recipient }) => recipient.toLowerCase() === report.recipient?.toLowerCase())
          ? [`${file}: ${report.recipient}`]
          : []
      )
    )
    expect(more).toEqual([])
  })
})
