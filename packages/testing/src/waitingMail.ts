/**
 * Says until when mail waits, so that a failure about a missing mail shows that the clock of the mail is not far enough.
 */
import { MailStore } from "@mailkeep/core"
import { Effect, Exit } from "effect"
import type { MailRuntime, MailServices } from "mailkeep"

/** The last time that a `Date` can show. */
export const instantMax = 8.64e15

/** When the first mail that waits is due; `null` when none waits. */
const firstDueAt: Effect.Effect<number | null, unknown, MailServices> = Effect.map(
  MailStore.use((store) => store.read([{ _tag: "Backlog", now: instantMax }])),
  ([{ oldestDueAt }]) => oldestDueAt
)

/** A line about the mail that waits for the clock, or an empty text. The store in memory answers at once. */
export const describeWaiting = ({ cachedContext }: Pick<MailRuntime, "cachedContext">, now: number): string => {
  if (cachedContext === undefined) return ""
  const exit = Effect.runSyncExitWith(cachedContext)(firstDueAt)
  if (!Exit.isSuccess(exit) || exit.value === null || exit.value <= now) return ""
  const [due, shown] = [exit.value, now].map((instant) => new Date(instant).toISOString())
  return `\nMail waits until ${due}. The clock of the mail shows ${shown}: move it with advance.`
}

const descriptions = new WeakMap<object, () => string>()

/** Lets the matchers describe the waiting mail of this mail. */
export const withDescription = <A extends object>(mail: A, describe: () => string): A => {
  descriptions.set(mail, describe)
  return mail
}

/** What `describeWaiting` says about a mail of `testMail`. */
export const descriptionOf = (mail: object): string => descriptions.get(mail)?.() ?? ""
