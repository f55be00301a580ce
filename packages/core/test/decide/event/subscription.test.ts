import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { deleteSubscription, ensureSubscription, subscriptionsMax } from "../../../src/decide/event/subscription.ts"
import type { ValidSubscription } from "../../../src/domain/event/SubscriptionInput.ts"
import { ids, now, subscription } from "../fixtures.ts"

const input = (kinds: ReadonlyArray<string>) => ({ name: "audit", kinds }) as unknown as ValidSubscription

describe("ensureSubscription", () => {
  it("creates a subscription of all projects when there is none with this name", () => {
    const count = subscriptionsMax - 1
    const { changes, answer } = Result.getOrThrow(
      ensureSubscription(input(["email.delivered"]), { now, ids, existing: null, count })
    )
    expect(answer).toMatch(/^sub_/)
    expect(changes).toEqual([
      {
        _tag: "PutResource",
        resource: {
          id: answer,
          projectId: "*",
          kind: "subscription",
          parent: "",
          name: "audit",
          content: { events: ["email.delivered"] },
          createdAt: now,
          updatedAt: now,
          revision: 1
        },
        replaces: null
      }
    ])
  })

  it("writes nothing when the subscription has these kinds", () => {
    const existing = subscription()
    const facts = { now: now + 1, ids, existing, count: subscriptionsMax }
    expect(Result.getOrThrow(ensureSubscription(input(existing.content.events), facts))).toEqual({
      changes: [],
      answer: existing.id
    })
  })

  it("refuses a new subscription when there are 100", () =>
    expect(ensureSubscription(input(["email.delivered"]), { now, ids, existing: null, count: 100 })).toMatchObject({
      failure: { _tag: "TooManyRecords", record: "subscription", max: 100 }
    }))

  it.each([
    ["more kinds", ["email.delivered", "email.bounced"]],
    ["another kind", ["domain.failed"]]
  ])("replaces the kinds of an existing subscription, guarded by its revision, when it asks for %s", (_, events) => {
    const existing = subscription({ revision: 4 })
    const facts = { now: now + 1, ids, existing, count: subscriptionsMax }
    const { changes, answer } = Result.getOrThrow(ensureSubscription(input(events), facts))
    expect(answer).toBe(existing.id)
    expect(changes).toEqual([
      {
        _tag: "PutResource",
        resource: { ...existing, content: { events }, updatedAt: now + 1, revision: 5 },
        replaces: 4
      }
    ])
  })
})

describe("deleteSubscription", () => {
  it("deletes the subscription, guarded by its revision", () => {
    const { id } = subscription()
    expect(deleteSubscription(subscription({ revision: 4 }))).toEqual({
      answer: id,
      changes: [{ _tag: "RemoveResource", projectId: "*", id, revision: 4 }]
    })
  })

  it("writes nothing when there is none", () => expect(deleteSubscription(null)).toEqual({ answer: null, changes: [] }))
})
