/**
 * Limits the webhook tests under way in this process. Each test keeps a connection to the server of a customer open for up to 15 s.
 * Source: decision 0035.
 */
import { Clock, Effect } from "effect"
import { RateLimited } from "../../domain/access/AccessFailure.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import { eventDeliveryDeadlineMillis } from "../../domain/webhook/Webhook.ts"

interface TestUnderWay {
  readonly webhookId: string
  readonly projectId: string
  readonly startedAt: Instant
}

/** Tests under way at once: of one webhook, of one project, and in this process. */
const perWebhookMax = 1
const perProjectMax = 4
const perProcessMax = 16

/** Whole seconds until the oldest test has reached its deadline: 1 to 15. */
const secondsToWait = (tests: ReadonlyArray<TestUnderWay>, now: Instant): number => {
  const oldest = Math.min(...tests.map(({ startedAt }) => startedAt))
  const millis = Math.min(eventDeliveryDeadlineMillis, Math.max(1, oldest + eventDeliveryDeadlineMillis - now))
  return Math.ceil(millis / secondMillis)
}

export interface WebhookTestLimiter {
  /** Runs a test of the webhook. Fails with `RateLimited` while too many tests are under way. */
  readonly run: <A, E>(
    webhook: { readonly id: string; readonly projectId: string },
    test: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | RateLimited>
}

export const makeWebhookTestLimiter = (): WebhookTestLimiter => {
  const underWay = new Set<TestUnderWay>()
  const begin = ({ id: webhookId, projectId }: { readonly id: string; readonly projectId: string }) =>
    Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<TestUnderWay, RateLimited> => {
      const all = [...underWay]
      const full = [
        { tests: all.filter((one) => one.webhookId === webhookId), max: perWebhookMax },
        { tests: all.filter((one) => one.projectId === projectId), max: perProjectMax },
        { tests: all, max: perProcessMax }
      ].find(({ tests, max }) => tests.length >= max)
      if (full !== undefined)
        return Effect.fail(new RateLimited({ scope: "project", retryAfterSeconds: secondsToWait(full.tests, now) }))
      const test = { webhookId, projectId, startedAt: now }
      underWay.add(test)
      return Effect.succeed(test)
    })
  return {
    run: (webhook, test) =>
      Effect.acquireUseRelease(
        begin(webhook),
        () => test,
        (one) => Effect.sync(() => underWay.delete(one))
      )
  }
}
