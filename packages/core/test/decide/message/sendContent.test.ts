import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SendContentFacts } from "../../../src/decide/message/sendContent.ts"
import { sendContent } from "../../../src/decide/message/sendContent.ts"
import type { SendInput } from "../../../src/domain/message/SendInput.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { now, validSend } from "../fixtures.ts"
import { template } from "./sendTemplate.ts"

const contentOf = (input: Partial<SendInput>, facts: Partial<SendContentFacts> = {}) =>
  sendContent(validSend(input), { now, smtpUtf8: true, template: null, ...facts })

const issuesOf = (input: Partial<SendInput>, facts: Partial<SendContentFacts> = {}) => {
  const content = contentOf(input, facts)
  return Result.isFailure(content) ? content.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []
}

const byTemplate = { templateId: "tpl_1", templateVariables: { name: "<Ada>" } }

describe("sendContent", () => {
  it("returns the content of a send without a template", () => {
    expect(contentOf({ html: "<p>", fromName: "Shop", replyTo: "help@example.com" })).toEqual(
      Result.succeed({ subject: "Hello", html: "<p>", text: "Hi", fromName: "Shop", replyTo: "help@example.com" })
    )
  })

  it("renders a template with the variables of the send, in place of its subject and bodies", () => {
    expect(contentOf(byTemplate, { template: template() })).toMatchObject(
      Result.succeed({ subject: "Hi <Ada>", html: "<p>&lt;Ada&gt;</p>", text: null })
    )
  })

  it("takes the names of the template only when the send has none", () => {
    const named = template({ fromName: "Template", replyTo: "template@example.com" })
    expect(contentOf(byTemplate, { template: named })).toMatchObject(
      Result.succeed({ fromName: "Template", replyTo: "template@example.com" })
    )
    const own = { ...byTemplate, fromName: "Shop", replyTo: "help@example.com" }
    expect(contentOf(own, { template: named })).toMatchObject(
      Result.succeed({ fromName: "Shop", replyTo: "help@example.com" })
    )
  })

  it("writes the reply address of a template as that of a send: trimmed, with its domain in A-labels", () => {
    const named = template({ replyTo: " Hilfe@BÜCHER.example " })
    expect(contentOf(byTemplate, { template: named })).toMatchObject(
      Result.succeed({ replyTo: "Hilfe@xn--bcher-kva.example" })
    )
  })

  it.each<[string, Partial<SendInput>, Partial<SendContentFacts>, ReadonlyArray<string>]>([
    ["a template that is not published", byTemplate, {}, ["templateId unknown_template"]],
    ["a missing variable", { templateId: "tpl_1" }, { template: template() }, ["templateVariables.name required"]],
    ["a time that has passed", { scheduledAt: now }, {}, ["scheduledAt not_in_future"]],
    ["a time more than 30 days ahead", { scheduledAt: now + 30 * dayMillis + 1 }, {}, ["scheduledAt too_far_ahead"]],
    [
      "addresses that need SMTPUTF8",
      { from: "ü@example.com", to: ["a@example.org", "ü@example.org"], replyTo: "ü@example.com" },
      { smtpUtf8: false },
      ["from invalid_value", "to.1 invalid_value", "replyTo invalid_value"]
    ],
    [
      "copies that need SMTPUTF8",
      { cc: "ü@example.org", bcc: ["ö@example.org"] },
      { smtpUtf8: false },
      ["cc invalid_value", "bcc invalid_value"]
    ],
    [
      "a reply address of the template that needs SMTPUTF8",
      byTemplate,
      { smtpUtf8: false, template: template({ replyTo: "ü@example.com" }) },
      ["templateId invalid_value"]
    ],
    [
      "all issues together",
      { ...byTemplate, from: "ü@example.com", scheduledAt: now },
      { smtpUtf8: false },
      ["from invalid_value", "scheduledAt not_in_future", "templateId unknown_template"]
    ]
  ])("refuses a send with %s", (_, input, facts, issues) => {
    expect(issuesOf(input, facts)).toEqual(issues)
  })

  it("allows a time exactly 30 days ahead, and addresses outside ASCII when the transport supports them", () => {
    expect(issuesOf({ scheduledAt: now + 30 * dayMillis, to: "ü@example.org" })).toEqual([])
  })
})
