/**
 * Tests the checks of the runs with a real relay: each of them reports the fault that it is for.
 */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { unexplainedCopies } from "../src/relay/arrivedMails.ts"
import type { ShownDelivery } from "../src/relay/bounces/bounceVerdict.ts"
import { wrongBounce } from "../src/relay/bounces/bounceVerdict.ts"
import { expectedBounces } from "../src/relay/bounces/expectedBounces.ts"
import { injectionCases } from "../src/relay/injection/cases.ts"
import type { AcceptedDelivery } from "../src/relay/injection/injectionVerdict.ts"
import { hasEvilField, injections, untestedFields } from "../src/relay/injection/injectionVerdict.ts"
import { payloads } from "../src/relay/injection/payloads.ts"
import type { ParsedMail } from "../src/relay/peers/parsers.ts"
import { sampleMail, senderDomain } from "../src/relay/SampleMail.ts"
import { differences } from "../src/relay/sampleVerdict.ts"
import { uncovered } from "../src/relay/signatureVerdict.ts"
import { signedFields, tamperings } from "../src/relay/tampering.ts"

const one = injectionCases.find(({ field }) => field === "metadata value")!
const recipient = one.mail.to[0]!

/** The message of the case as a parser must read it. */
const arrived: ParsedMail = {
  headers: [
    ["From", "Shop <shop@shop.test>"],
    ["To", recipient],
    ["Subject", "Hello"]
  ],
  subject: "Hello",
  from: [["Shop", `shop@${senderDomain}`]],
  to: [["", recipient]],
  cc: [],
  replyTo: [],
  text: "Hello\r\n",
  html: "<p>Hello</p>",
  attachments: [],
  defects: []
}

describe("differences", () => {
  const check = (change: Partial<ParsedMail>) => differences(one.mail, recipient, { ...arrived, ...change })

  it("finds no difference in the message that was sent", () => expect(check({})).toEqual([]))

  it.each<readonly [string, Partial<ParsedMail>]>([
    ["subject", { subject: "Hallo" }],
    ["from", { from: [["Evil", `shop@${senderDomain}`]] }],
    ["to", { to: [["", "eve@good.test"]] }],
    ["cc", { cc: [["", "eve@good.test"]] }],
    ["reply-to", { replyTo: [["", "eve@good.test"]] }],
    ["text", { text: "Hello, more" }],
    ["text", { text: null }],
    ["html", { html: "<p>Hello</p> " }],
    [
      "files",
      {
        attachments: [
          { filename: "a", contentType: "b/c", contentId: null, disposition: "attachment", size: 0, sha256: "" }
        ]
      }
    ],
    ["the parser reports", { defects: ["StartBoundaryNotFoundDefect"] }],
    ["the parser failed", { error: "ValueError" }]
  ])("reports a changed %s", (what, change) => expect(check(change)[0]).toMatch(new RegExp(`^${what}`)))

  it("takes a name in A-labels and in Unicode as the same domain", () => {
    const mail = { ...one.mail, to: ["ada@münchen.test"] }
    expect(differences(mail, mail.to[0]!, { ...arrived, to: [["", "ada@xn--mnchen-3ya.test"]] })).toEqual([])
  })

  it("finds no difference when files of one name and content arrive in another order", () => {
    const empty = { filename: "a.txt", contentType: "text/plain", content: new Uint8Array() }
    const files = [
      { ...empty, contentId: "one" },
      { ...empty, contentId: "two" },
      { ...empty, contentId: null }
    ]
    const attachments = files.map(({ filename, contentType, contentId }) => ({
      filename,
      contentType,
      contentId,
      disposition: contentId === null ? "attachment" : "inline",
      size: 0,
      sha256: createHash("sha256").digest("hex")
    }))
    const mail = { ...one.mail, files }
    for (const order of [attachments, attachments.toReversed()])
      expect(differences(mail, recipient, { ...arrived, attachments: order })).toEqual([])
  })
})

describe("injections", () => {
  const accepted: AcceptedDelivery = { case: one, entry: "program", deliveryId: "del_1", recipient }
  const check = (to: ReadonlyArray<string>, change: Partial<ParsedMail>) =>
    injections(accepted, { to }, { Python: { ...arrived, ...change } })

  it("finds no injection in the message that was sent", () => expect(check([recipient], {})).toEqual([]))

  it.each<
    readonly [what: string, to: ReadonlyArray<string>, change: Partial<ParsedMail>, found: ReadonlyArray<string>]
  >([
    ["a second recipient", [recipient, "evil@evil.test"], {}, ["its envelope has the recipients"]],
    ["another recipient", ["evil@evil.test"], {}, ["its envelope has the recipients"]],
    [
      "an added header field",
      [recipient],
      { headers: [...arrived.headers, ["X-Injected", "yes"]] },
      ["it has the header field x-injected"]
    ],
    [
      "a field that is there twice",
      [recipient],
      { headers: [...arrived.headers, ["subject", "Hello"]] },
      ["it has the header field subject twice"]
    ],
    ["an added address", [recipient], { cc: [["", "evil@evil.test"]] }, ["its header has the address", "cc: sent"]],
    ["added content", [recipient], { text: "Hello\nsmuggled" }, ["text: sent"]]
  ])("reports %s and nothing else", (_, to, change, found) =>
    expect(check(to, change)).toEqual(found.map((what) => expect.stringContaining(what)))
  )

  it("reports an injected field in the bytes of the header, and not in the body", () => {
    expect(hasEvilField(Buffer.from("A: b\r\nX-Injected: yes\r\n\r\nbody"))).toBe(true)
    expect(hasEvilField(Buffer.from("A: b\r\nbcc: c@d\r\n\r\nbody"))).toBe(true)
    expect(hasEvilField(Buffer.from("A: b\r\n\r\nX-Injected: yes\r\n"))).toBe(false)
  })

  it("reports a field in which an entry refuses a harmless text", () => {
    const all = injectionCases.flatMap((one) =>
      ["program", "HTTP", "submission"].map((entry) => ({ case: one, entry, deliveryId: "del_1", recipient }))
    )
    expect(untestedFields(all)).toEqual([])
    const refused = all.filter(({ entry, case: { field } }) => entry !== "HTTP" || field !== "file name")
    expect(untestedFields(refused)).toEqual([
      "HTTP, file name: a harmless text was refused, so the field is not tested"
    ])
    expect(untestedFields(all.filter(({ case: { payload } }) => payload.text !== "x")).length).toBeGreaterThan(50)
  })

  it("tries each payload in each field", () => {
    const fields = new Set(injectionCases.map(({ field }) => field))
    expect(injectionCases).toHaveLength(fields.size * payloads.length)
    expect(fields.size).toBeGreaterThanOrEqual(30)
  })
})

describe("tamperings", () => {
  const signed = Buffer.from(
    "Received: x\r\nDKIM-Signature: v=1; h=From:From:Subject:\r\n\tCc; b=x\r\nFrom: a@b.test\r\nSubject: long\r\n subject\r\n\r\nbody\r\n"
  )

  it("changes, removes and adds each signed field, and changes the body", () => {
    expect(signedFields(signed)).toEqual(["from", "from", "subject", "cc"])
    expect(tamperings(signed).map(({ what }) => what)).toEqual([
      "from is changed",
      "from is removed",
      "from is added at the beginning",
      "from is added at the end",
      "subject is changed",
      "subject is removed",
      "cc is added at the beginning",
      "cc is added at the end",
      "a line is added to the body",
      "the first visible byte of the body is removed"
    ])
    for (const { raw } of tamperings(signed)) expect(raw.equals(signed)).toBe(false)
  })

  it("makes no changed message of a message without a signature", () =>
    expect(tamperings(Buffer.from("From: a@b.test\r\n\r\nbody"))).toEqual([]))

  it("removes no white space of the body, which a relaxed signature does not cover", () => {
    const bodyOf = (body: string) => {
      const raw = Buffer.from(signed.toString().replace(/body\r\n$/, body))
      const change = tamperings(raw).find(({ what }) => what.startsWith("the first visible byte"))
      return change?.raw.toString().split("\r\n\r\n").slice(1).join("\r\n\r\n")
    }
    expect(bodyOf("  \tbody\r\n")).toBe("  \tody\r\n")
    expect(bodyOf("\r\n\r\nb\r\n")).toBe("\r\n\r\n\r\n")
    expect(bodyOf(" \t\r\n")).toBeUndefined()
    expect(bodyOf("")).toBeUndefined()
  })

  it("leaves the rest of the message as it is", () => {
    const changed = tamperings(signed)
      .find(({ what }) => what === "subject is changed")!
      .raw.toString()
    expect(changed).toBe(signed.toString().replace(" subject\r\n", " subjectx\r\n"))
  })
})

describe("uncovered", () => {
  it("names a field that is not signed, and one that can be added", () => {
    const raw = Buffer.from(
      "DKIM-Signature: h=From:From:To:To:Cc:Reply-To:Date:Date:Content-Type; b=x\r\nFrom: a\r\nTo: b\r\nSubject: c\r\nDate: d\r\n\r\n"
    )
    expect(uncovered(raw)).toEqual(["the signature does not cover subject", "somebody can add another subject"])
  })
})

describe("unexplainedCopies", () => {
  const row = { id: "del_1", status: "accepted", reason: null, successful: 1, ambiguous: 0 }

  it.each([
    ["a lost message", row, 0, "retry", 1],
    ["one copy", row, 1, "retry", 0],
    ["a second copy without an ambiguous attempt", row, 2, "retry", 1],
    ["a second copy after an ambiguous attempt", { ...row, ambiguous: 1 }, 2, "retry", 0],
    ["a third copy", { ...row, ambiguous: 1 }, 3, "retry", 1],
    ["a second copy with the policy fail", { ...row, ambiguous: 1 }, 2, "fail", 1],
    ["no copy after an uncertain attempt", { ...row, status: "failed", successful: 0, ambiguous: 1 }, 0, "fail", 0],
    ["a copy without an attempt", { ...row, status: "queued", successful: 0 }, 1, "fail", 1]
  ] as const)("counts the problems of %s", (_, delivery, copies, onAmbiguous, problems) =>
    expect(unexplainedCopies(delivery, copies, onAmbiguous)).toHaveLength(problems)
  )
})

describe("wrongBounce", () => {
  const expected = expectedBounces[0]!
  const shown: ShownDelivery = {
    recipient: expected.recipient(0),
    status: "bounced",
    reason: "hard_bounce",
    bounceType: "hard",
    suppression: "hard_bounce",
    events: [
      { kind: "email.accepted", enhancedCode: null },
      { kind: "email.bounced", enhancedCode: "5.1.1" }
    ]
  }

  it("finds nothing wrong with a delivery that bounced as expected", () =>
    expect(wrongBounce(expected, shown)).toEqual([]))

  it.each<readonly [what: string, found: string, change: Partial<ShownDelivery>]>([
    ["status", "the status is", { status: "accepted" }],
    ["reason", "the reason is", { reason: "message_blocked" }],
    ["bounce type", "the bounce type is", { bounceType: "soft" }],
    ["suppression", "the suppression is", { suppression: null }],
    ["missing event", "the list of events is", { events: shown.events.slice(0, 1) }],
    ["second event", "the list of events is", { events: [...shown.events, shown.events[1]!] }],
    [
      "code of the event",
      "the enhanced code of the event is",
      { events: [shown.events[0]!, { kind: "email.bounced", enhancedCode: "5.7.1" }] }
    ]
  ])("reports a wrong %s and nothing else", (_, found, change) =>
    expect(wrongBounce(expected, { ...shown, ...change })).toEqual([expect.stringContaining(found)])
  )
})

describe("sampleMail", () => {
  it("makes the same sample from the same seed and number", () => {
    expect(sampleMail(1, 2, { smtpUtf8: true })).toEqual(sampleMail(1, 2, { smtpUtf8: true }))
    expect(sampleMail(1, 2, { smtpUtf8: true })).not.toEqual(sampleMail(1, 3, { smtpUtf8: true }))
  })

  it("makes only ASCII local parts for a relay without SMTPUTF8", () => {
    const samples = Array.from({ length: 300 }, (_, n) => sampleMail(5, n, { smtpUtf8: false }))
    const localParts = samples
      .flatMap(({ to, cc, bcc }) => [...to, ...cc, ...bcc])
      .map((address) => address.split("@")[0]!)
    expect(localParts.filter((part) => /[^ -~]/.test(part))).toEqual([])
  })
})
