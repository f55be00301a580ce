import { describe, expect, it } from "vitest"
import { relayReplyPage } from "../src/relayReplyPage.ts"

describe("relayReplyPage", () => {
  it("names the status and the reason that follow each kind of refusal", () => {
    const page = relayReplyPage()
    for (const outcome of [
      "`queued`, as a deferral",
      "`bounced`, `hard_bounce`; the address is suppressed",
      "`bounced`, `recipient_blocked`",
      "`failed`, `sending_failed`",
      "`failed`, `message_blocked`"
    ])
      expect(page).toContain(`| ${outcome} |`)
    expect(page).not.toContain("undefined")
  })
})
