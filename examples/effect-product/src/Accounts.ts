/**
 * The accounts of the product. A new account gets a welcome and a reminder to confirm its address.
 */
import { Domains, EventSender, Sending } from "@mailkeep/core"
import type { SendRefusal, StoreUnavailable } from "@mailkeep/core"
import { Context, Duration, Effect, Layer } from "effect"

export interface Account {
  readonly id: string
  readonly name: string
  readonly email: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
}

/** All mail of this product belongs to one project. A product with tenants uses one project for each tenant. */
const project = "prj_shop"
const from = "Shop <hello@shop.example>"
const reminderDelay = Duration.toMillis("3 days")

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Sends the welcome at once and the reminder later. A repeat for the same account sends nothing. */
    readonly signUp: (account: Account) => Effect.Effect<void, SendRefusal | StoreUnavailable>
    /** Cancels the reminder. Does nothing if the reminder was sent already. */
    readonly confirm: (accountId: string) => Effect.Effect<void, StoreUnavailable>
    /** The addresses that do not exist. */
    readonly unreachable: Effect.Effect<ReadonlySet<string>>
  }
>()("effect-product/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sending = yield* Sending
      // A real product keeps both in its own database.
      const reminders = new Map<string, string>()
      const unreachable = new Set<string>()

      yield* (yield* Domains).ensure(project, { domain: "shop.example", verified: true })
      // The subscription is durable: after a restart, the handler also gets the events of the meantime.
      yield* (yield* EventSender).subscribe("accounts", ({ data }) => void unreachable.add(data.recipient), [
        "email.bounced"
      ])

      return {
        signUp: Effect.fn("Accounts.signUp")(function* ({ id, name, email, createdAt }: Account) {
          const welcome = { from, to: email, subject: `Welcome, ${name}`, text: "Please confirm your address." }
          yield* sending.send(project, welcome, { idempotencyKey: `welcome:${id}` })
          // The time comes from the account and not from the clock, so that a repeat under the same idempotency key is the same send.
          const scheduledAt = createdAt + reminderDelay
          const reminder = {
            from,
            to: email,
            subject: "Still there?",
            text: "Your address is not confirmed.",
            scheduledAt
          }
          const { messageId } = yield* sending.send(project, reminder, { idempotencyKey: `reminder:${id}` })
          reminders.set(id, messageId)
        }),
        confirm: Effect.fn("Accounts.confirm")(function* (accountId: string) {
          const messageId = reminders.get(accountId)
          if (messageId === undefined) return
          reminders.delete(accountId)
          yield* sending.cancel(project, messageId).pipe(
            Effect.catchTag("MessageNotScheduled", () => Effect.void),
            Effect.catchTag(["InvalidArgument", "SenderOutsideScope", "MessageNotFound"], Effect.die)
          )
        }),
        unreachable: Effect.sync(() => unreachable)
      }
    })
  )
}
