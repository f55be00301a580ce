/**
 * Which rule refuses a send that breaks several ones.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { AcceptSend, AcceptSendFacts } from "../../../src/decide/message/acceptSend.ts"
import { acceptSend } from "../../../src/decide/message/acceptSend.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { hourMillis } from "../../../src/domain/value/Instant.ts"
import { acceptSendFacts as facts } from "./acceptSendFacts.ts"
import { domain, now } from "../fixtures.ts"
import { apiKey, byApiKey, command, earlier, withOptions } from "./sendCommand.ts"

/** A send that breaks every rule of which the decision knows, and the facts of that case. Each refusal of the table repairs one rule. */
const brokenSend = { from: "hello@other.example", scheduledAt: now - 1, templateId: "tpl_none" }
const scoped = { ...byApiKey, domainScope: ["example.com"] }

describe("acceptSend, for a send that breaks several rules", () => {
  const limited = facts({ plan: { ...noLimits, dailySends: 0 }, domain: null })
  const used = { ...earlier, fingerprint: "another" }
  const expired = withOptions({ expiresAt: now - 1 })

  it.each<[string, AcceptSend, AcceptSendFacts, object]>([
    [
      "a revoked API key",
      command(brokenSend, { principal: scoped, ...expired }),
      { ...limited, idempotencyRecord: used, apiKey: { ...apiKey, revokedAt: now } },
      { _tag: "InvalidApiKey" }
    ],
    [
      "a domain outside the scope",
      command(brokenSend, { principal: scoped, ...expired }),
      { ...limited, idempotencyRecord: used, apiKey },
      { _tag: "SenderOutsideScope", domain: "other.example" }
    ],
    [
      "a used idempotency key",
      command(brokenSend, expired),
      { ...limited, idempotencyRecord: used },
      { argument: "options", issues: [{ path: ["idempotencyKey"], code: "idempotency_key_reused" }] }
    ],
    [
      "an expiry time that has passed",
      command(brokenSend, expired),
      limited,
      { argument: "options", issues: [{ path: ["expiresAt"], code: "not_in_future" }] }
    ],
    [
      "a time that has passed and an unknown template",
      command(brokenSend),
      limited,
      { argument: "input", issues: [{ code: "not_in_future" }, { code: "unknown_template" }] }
    ],
    [
      "a domain that is not verified",
      command({}),
      { ...limited, domain: domain({ status: "pending" }) },
      { _tag: "SenderDomainNotVerified", domain: "example.com" }
    ],
    ["a domain that does not exist", command({}), limited, { _tag: "SenderDomainNotVerified" }],
    [
      "a limit of the plan",
      command({}),
      { ...limited, domain: domain() },
      { _tag: "PlanLimitReached", code: "daily_sending_limit_exceeded" }
    ]
  ])("refuses a send with %s before it checks the rules that follow", (_, sent, known, failure) => {
    const refused = acceptSend(sent, known)
    expect(Result.isFailure(refused) && refused.failure).toMatchObject(failure)
  })

  it("refuses an API key that does not exist or has expired", () => {
    for (const one of [null, { ...apiKey, expiresAt: now }])
      expect(acceptSend(command({}, { principal: byApiKey }), facts({ apiKey: one }))).toMatchObject(
        Result.fail({ _tag: "InvalidApiKey" })
      )
  })

  it("refuses an expiry time that is not after the scheduled time", () => {
    const at = now + hourMillis
    const refused = acceptSend(command({ scheduledAt: at }, withOptions({ expiresAt: at })), facts())
    expect(Result.isFailure(refused) && refused.failure).toMatchObject({ issues: [{ path: ["expiresAt"] }] })
    expect(Result.isSuccess(acceptSend(command({}, withOptions({ expiresAt: now + 1 })), facts()))).toBe(true)
  })
})
