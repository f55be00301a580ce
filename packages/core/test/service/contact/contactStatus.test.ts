/**
 * The status of a contact, and the suppression that it follows.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { MailStore, Suppressions } from "../../../src/index.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import { events, withTestMail, project, stores } from "@mailkeep/test-support"
import { create, page, update } from "./contactCalls.ts"

const unsubscriptions = Effect.map(events, (all) => all.filter(({ kind }) => kind === "contact.unsubscribed"))

/** The reasons that the store keeps for an address. */
const reasons = (address: string) =>
  Effect.gen(function* () {
    const { addressKey } = yield* Secrets
    const [[suppression]] = yield* (yield* MailStore).read([
      { _tag: "Suppressions", projectId: project, addressKeys: [addressKey(address)] }
    ])
    return Object.keys(suppression?.reasons ?? {}).toSorted()
  })

describe.each(stores)("contacts, over $name", (store) => {
  it("emits contact.unsubscribed only when the status changes", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* create({ email: "ada@example.org" })
        const status = (emailStatus: "subscribed" | "unsubscribed") =>
          update(id, { email: "ada@example.org", emailStatus })
        yield* status("subscribed")
        yield* status("unsubscribed")
        yield* status("unsubscribed")
        yield* status("subscribed")
        yield* status("unsubscribed")
        const emitted = yield* unsubscriptions
        expect(emitted).toHaveLength(2)
        expect(emitted[0]).toMatchObject({
          data: { reason: "unsubscribed", contact: { id, emailStatus: "unsubscribed" } }
        })
      })
    ))

  it("sets the status unsubscribed only for the reason unsubscribed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "ada@example.org" })
        yield* suppressions.addReason(project, "ada@example.org", "complaint")
        expect((yield* page()).items[0]).toMatchObject({ emailStatus: "subscribed" })
        yield* suppressions.addReason(project, "ada@example.org", "unsubscribed")
        expect((yield* page()).items[0]).toMatchObject({ emailStatus: "unsubscribed" })
        yield* update(id, { email: "ada@example.org", emailStatus: "subscribed" })
        expect(yield* reasons("ada@example.org")).toEqual(["complaint"])
      })
    ))

  it("copies the reason unsubscribed to a new address, and keeps it at the old address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* create({ email: "old@example.org" })
        yield* update(id, { email: "old@example.org", emailStatus: "unsubscribed" })
        expect(yield* update(id, { email: "new@example.org" })).toMatchObject({ emailStatus: "unsubscribed" })
        expect(yield* reasons("old@example.org")).toEqual(["unsubscribed"])
        expect(yield* reasons("new@example.org")).toEqual(["unsubscribed"])
        expect(yield* unsubscriptions).toHaveLength(1)
      })
    ))

  it("unsubscribes a contact that moves to an unsubscribed address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Suppressions).addReason(project, "gone@example.org", "unsubscribed")
        const { id } = yield* create({ email: "ada@example.org" })
        expect(yield* update(id, { email: "gone@example.org" })).toMatchObject({ emailStatus: "unsubscribed" })
        expect(yield* unsubscriptions).toHaveLength(1)
      })
    ))

  it("removes only the reason unsubscribed when a contact is created", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.addReason(project, "ada@example.org", "unsubscribed")
        yield* suppressions.addReason(project, "ada@example.org", "hard_bounce")
        expect(yield* create({ email: "ada@example.org" })).toMatchObject({ emailStatus: "subscribed" })
        expect(yield* reasons("ada@example.org")).toEqual(["hard_bounce"])
      })
    ))

  it("agrees with the suppression list after concurrent changes", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (let round = 0; round < 20; round++) {
          const email = `r${round}@example.org`
          yield* Effect.all(
            [
              Effect.result(create({ email })),
              suppressions.addReason(project, email, "unsubscribed"),
              Effect.result(create({ email })),
              suppressions.removeReason(project, email, "unsubscribed"),
              suppressions.addReason(project, email, "unsubscribed")
            ],
            { concurrency: "unbounded" }
          )
          const { items } = yield* page({ search: email })
          const suppressed = (yield* reasons(email)).includes("unsubscribed")
          expect(items[0]?.emailStatus).toBe(suppressed ? "unsubscribed" : "subscribed")
        }
      })
    ))
})
