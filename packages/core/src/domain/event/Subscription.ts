/**
 * A subscription: a named in-process subscriber of the events of all projects. Source: decision 0028.
 */
import type { ProjectId } from "../access/Project.ts"
import { minuteMillis, secondMillis } from "../value/Instant.ts"
import type { EventKind } from "./MailEvent.ts"

/** The stored content of a named in-process subscriber. It receives the events of all projects. */
export interface SubscriptionContent {
  readonly events: ReadonlyArray<EventKind>
}

/** The project id of subscriptions. No project has this id. */
export const allProjects: ProjectId = "*"

/** Returns the wait of a subscription, whose handler runs in this process. It is 1 s, then doubles up to 5 min; the attempts never end. */
export const subscriptionWaitMillis = (attempts: number): number =>
  Math.min(5 * minuteMillis, secondMillis * 2 ** Math.min(attempts - 1, 20))
