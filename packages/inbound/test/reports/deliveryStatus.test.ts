import { describe, expect, it } from "vitest"
import { statusFieldsInText, statusFieldsOf, statusReportsOf } from "../../src/reports/deliveryStatus.ts"
import type { StatusContext } from "../../src/reports/deliveryStatus.ts"
import { refusedCommandsIn } from "../../src/reports/refusedCommand.ts"

const context = (given: Partial<StatusContext> = {}): StatusContext => ({
  failedRecipients: [],
  commands: refusedCommandsIn(""),
  explanationFor: () => "",
  ...given
})

const reportsOf = (text: string, given: Partial<StatusContext> = {}) =>
  statusReportsOf(statusFieldsOf(text), context(given))

describe("statusReportsOf", () => {
  it("reads every field of a recipient", () => {
    const text = [
      "Original-Envelope-Id: del_1",
      "Reporting-MTA: dns; mx.example.org",
      "",
      "Original-Recipient: rfc822; ada@example.org",
      "Final-Recipient: RFC822; ada@forward.example",
      "Action: failed (undeliverable)",
      "Status: 5.0.0 (permanent failure)",
      "Remote-MTA: dns; mx.forward.example",
      "Diagnostic-Code: smtp; 550-5.1.1 No such",
      "  mailbox here"
    ].join("\n")
    expect(reportsOf(text)).toEqual([
      {
        _tag: "DeliveryStatus",
        recipient: "ada@forward.example",
        originalRecipient: "ada@example.org",
        action: "failed",
        enhancedCode: "5.1.1",
        smtpCode: 550,
        command: null,
        diagnostic: "550-5.1.1 No such mailbox here",
        cause: "mailbox_unknown",
        standard: true
      }
    ])
    expect(statusFieldsOf(text).message.get("original-envelope-id")).toEqual(["del_1"])
  })

  it.each([
    ["failed", "failed"],
    ["Failed", "failed"],
    ["failure", "failed"],
    ["delayed", "delayed"],
    ["deferred", "delayed"],
    ["delivered", "delivered"],
    ["relayed (to mx.example)", "relayed"],
    ["expanded", "expanded"]
  ])("reads the action %j", (word, action) => {
    expect(reportsOf(`Final-Recipient: rfc822; a@b.example\nAction: ${word}\nStatus: 5.1.1`)[0]?.action).toBe(action)
  })

  it.each([
    ["5.1.1", "failed"],
    ["4.4.1", "delayed"],
    ["2.0.0", "relayed"]
  ])("reads a missing action from the status %s", (status, action) => {
    expect(reportsOf(`Final-Recipient: rfc822; a@b.example\nStatus: ${status}`)[0]?.action).toBe(action)
  })

  it("skips a recipient of which neither the action nor the status is known", () => {
    expect(reportsOf("Final-Recipient: rfc822; a@b.example\nRemote-MTA: dns; mx")).toEqual([])
  })

  it("gives a cause only to a failure", () => {
    expect(reportsOf("Final-Recipient: rfc822; a@b.example\nAction: delayed\nStatus: 4.1.1")[0]?.cause).toBeNull()
    expect(reportsOf("Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 4.4.7")[0]?.cause).toBe("expired")
  })

  it("reads several recipients, also without an empty line between them", () => {
    const text = [
      "Reporting-MTA: dns; mx",
      "",
      "Final-Recipient: rfc822; a@b.example",
      "Action: failed",
      "Status: 5.1.1",
      "Final-Recipient: rfc822; c@b.example",
      "Action: delayed",
      "Status: 4.2.2",
      "",
      "Final-Recipient: rfc822; d@b.example",
      "Action: failed",
      "Status: 5.2.2"
    ].join("\n")
    expect(reportsOf(text).map(({ recipient, action, cause }) => [recipient, action, cause])).toEqual([
      ["a@b.example", "failed", "mailbox_unknown"],
      ["c@b.example", "delayed", null],
      ["d@b.example", "failed", "refused"]
    ])
  })

  it("counts the first of two blocks about the same recipient and action", () => {
    const block = (address: string, status: string) =>
      `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: ${status}`
    const reports = reportsOf(`${block("a@b.example", "5.1.1")}\n\n${block("A@B.example", "5.2.2")}`)
    expect(reports.map(({ enhancedCode: status }) => status)).toEqual(["5.1.1"])
  })

  it("keeps the failure of a recipient after a delay of the same recipient", () => {
    const block = (action: string, status: string) =>
      `Final-Recipient: rfc822; a@b.example\nAction: ${action}\nStatus: ${status}`
    const reports = reportsOf(`${block("delayed", "4.4.1")}\n\n${block("failed", "5.1.1")}`)
    expect(reports.map(({ action }) => action)).toEqual(["delayed", "failed"])
  })

  it("keeps the recipient of each block when the header names it among the failed recipients", () => {
    const block = (address: string, reply: string) =>
      `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; ${reply}`
    const text = `${block("bob@c.example", "550 5.1.1 No such user")}\n\n${block("ada@c.example", "552 5.2.2 Full")}`
    const reports = reportsOf(text, { failedRecipients: ["ada@c.example", "bob@c.example"] })
    expect(reports.map(({ recipient, enhancedCode }) => [recipient, enhancedCode])).toEqual([
      ["bob@c.example", "5.1.1"],
      ["ada@c.example", "5.2.2"]
    ])
  })

  it("names the member of an alias that sendmail tried", () => {
    const block = (member: string, status: string) =>
      `Final-Recipient: RFC822; team@b.example\nX-Actual-Recipient: rfc822; ${member}\nAction: failed\nStatus: ${status}`
    const reports = reportsOf(`${block("ada@c.example", "5.1.1")}\n\n${block("bob@c.example", "5.1.1")}`)
    expect(reports).toMatchObject([
      { recipient: "ada@c.example", originalRecipient: "team@b.example" },
      { recipient: "bob@c.example", originalRecipient: "team@b.example" }
    ])
    const program = block("X-Unix; |/usr/bin/filter", "5.3.0")
    expect(reportsOf(`${program}\n\n${block("ada@c.example", "5.1.1")}`)).toMatchObject([
      { recipient: "team@b.example", originalRecipient: null },
      { recipient: "ada@c.example", originalRecipient: "team@b.example" }
    ])
    // The only member of an alias is most often another name of the same mailbox.
    expect(reportsOf(block("ada@c.example", "5.1.1"))).toMatchObject([
      { recipient: "team@b.example", originalRecipient: null }
    ])
  })

  it("names the members of an alias, each of which Exim reports under the name of the alias", () => {
    const block = (reply: string) =>
      `Action: failed\nFinal-Recipient: rfc822;team@b.example\nStatus: 5.0.0\nDiagnostic-Code: smtp; ${reply}`
    const replies = ["550 5.1.1 No such user", "552 5.2.2 The mailbox is full", "550 5.1.1 No such user"]
    const given = {
      failedRecipients: ["eve@c.example", "ada@c.example", "bob@c.example"],
      explanationFor: (recipient: string) =>
        recipient === "eve@c.example" ? "552 5.2.2 The mailbox is full" : "550 5.1.1 No such user"
    }
    const reports = reportsOf(replies.map(block).join("\n\n"), given)
    expect(reports.map(({ recipient, originalRecipient }) => [recipient, originalRecipient])).toEqual([
      ["ada@c.example", "team@b.example"],
      ["eve@c.example", "team@b.example"],
      ["bob@c.example", "team@b.example"]
    ])
    const one = { ...given, failedRecipients: ["ada@c.example"] }
    expect(reportsOf(replies.map(block).join("\n\n"), one)).toMatchObject([{ recipient: "team@b.example" }])
  })

  it("decides that a message of OpenSMTPD has expired although the notice calls it delayed", () => {
    const block = "Final-Recipient: rfc822; ada@example.org\nAction: delayed\nStatus: 4.4.7"
    const read = (text: string) => reportsOf(block, { explanationFor: () => text })[0]
    expect(read("ada@example.org: Envelope expired")).toMatchObject({ action: "failed", cause: "expired" })
    expect(read("ada@example.org: 451 Try again later")).toMatchObject({ action: "delayed", cause: null })
    const relayed = block.replace("delayed", "relayed").replace("4.4.7", "2.0.0")
    expect(reportsOf(relayed, { explanationFor: () => "Envelope expired" })[0]).toMatchObject({ action: "relayed" })
  })

  it("reads at most 100 recipients", () => {
    const blocks = Array.from(
      { length: 500 },
      (_, index) => `Final-Recipient: rfc822; a${index}@b.example\nAction: failed`
    )
    expect(reportsOf(blocks.join("\n\n"))).toHaveLength(100)
  })

  it("uses the original recipient, then the header, if the final recipient is no address", () => {
    const program = "Final-Recipient: rfc822; |/usr/bin/filter\nAction: failed\nStatus: 5.0.0"
    const failedRecipients = ["ada@example.org"]
    expect(reportsOf(`${program}\nOriginal-Recipient: rfc822;eve@b.example`, { failedRecipients })[0]?.recipient).toBe(
      "eve@b.example"
    )
    expect(reportsOf(program, { failedRecipients })[0]?.recipient).toBe("ada@example.org")
    expect(reportsOf(program, { failedRecipients: [...failedRecipients, "bob@example.org"] })[0]?.recipient).toBeNull()
  })

  it("uses the explanation, then the comment of the status, if there is no diagnostic", () => {
    const text = "Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0 (no route)"
    const explanationFor = (recipient: string) => `${recipient}: 550 5.2.2 full`
    expect(reportsOf(text)[0]).toMatchObject({ diagnostic: "no route", enhancedCode: "5.0.0" })
    expect(reportsOf(text, { explanationFor })[0]).toMatchObject({
      diagnostic: "a@b.example: 550 5.2.2 full",
      enhancedCode: "5.2.2"
    })
  })

  it("uses X-Supplementary-Info if there is no diagnostic", () => {
    const text =
      "Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0\nX-Supplementary-Info: <mx.b.example #5.0.0 smtp; 550 5.1.1 no such user>"
    const diagnostic = "<mx.b.example #5.0.0 smtp; 550 5.1.1 no such user>"
    expect(reportsOf(text)[0]).toMatchObject({ enhancedCode: "5.1.1", cause: "mailbox_unknown", diagnostic })
    expect(reportsOf(`${text}\nDiagnostic-Code: smtp; 550 5.7.1 no`)[0]?.diagnostic).toBe("550 5.7.1 no")
  })

  it("uses the refused command that the explanation names", () => {
    const text =
      "Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 unknown user"
    const commands = (explanation: string) => ({ commands: refusedCommandsIn(explanation) })
    expect(reportsOf(text, commands("(in reply to RCPT TO command)"))[0]).toMatchObject({
      command: "rcpt",
      cause: "mailbox_unknown"
    })
    expect(reportsOf(text, commands("(in reply to end of DATA command)"))[0]).toMatchObject({
      command: "data",
      cause: "refused"
    })
  })

  it("reads a diagnostic without a type", () => {
    const text = "Final-Recipient: rfc822; a@b.example\nAction: failed\nDiagnostic-Code: 550 5.1.1 unknown"
    expect(reportsOf(text)[0]).toMatchObject({ diagnostic: "550 5.1.1 unknown", cause: "mailbox_unknown" })
  })
})

describe("statusFieldsInText", () => {
  it("finds the fields between other text, and only complete blocks", () => {
    const text = [
      "Your message was not delivered.",
      "",
      "Reporting-MTA: dns; mx.example.org",
      "",
      "Final-Recipient: rfc822; a@b.example",
      "Action: failed",
      "",
      "Final-Recipient: rfc822; c@b.example",
      "",
      "Action: failed"
    ].join("\n")
    const fields = statusFieldsInText(text)
    expect(fields.recipients.map((each) => each.get("final-recipient"))).toEqual([["rfc822; a@b.example"]])
    expect(fields.message.get("reporting-mta")).toEqual(["dns; mx.example.org"])
  })
})
