/**
 * Bounds how long the core waits for the plan of a project. A plan source that never answered would keep each call and each scheduled delivery that needs it.
 * Logs the bugs of a plan source with the project, because nobody else gets them when a scheduled delivery is due.
 */
import { Cause, Duration, Effect, Exit, Layer } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import { makeLogLimit } from "../../port/logLimit.ts"
import { StoreUnavailable } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { makeFailureLog } from "../observability/failureLog.ts"

/** The longest that one plan may take. As long as the store waits for a silent server (decision 0096). */
const planMillisMax = 10 * secondMillis

const detail =
  "The plan of the project was not returned within 10 s. Its function should read from memory. Try again later."

/** What is wrong with limits that are not valid. The message of another error may contain an address. */
const problemOf = (bug: unknown) => (bug instanceof InvalidArgument ? { problem: bug.message } : {})

/**
 * Replaces the plan source by one that fails with `StoreUnavailable` after 10 s without an answer, and whose bugs are logged. A plan that is known at once
 * starts no timer.
 */
export const boundedPlanSource: Layer.Layer<PlanSource, never, PlanSource> = Layer.effect(
  PlanSource,
  Effect.map(PlanSource, (source) => {
    const { logLine } = makeLogLimit(planMillisMax)
    const logFailure = makeFailureLog("The plan source failed.", Effect.logError)
    const logBug = (projectId: ProjectId, bug: unknown): Effect.Effect<void> =>
      logFailure({ subject: projectId, fields: { projectId, ...problemOf(bug) }, cause: Cause.die(bug) })
    const tooLate = (projectId: ProjectId): Effect.Effect<never, StoreUnavailable> =>
      Effect.andThen(
        logLine(projectId, (counted) =>
          Effect.logWarning("The plan source did not answer in time.", { projectId, ...counted })
        ),
        Effect.fail(new StoreUnavailable({ reason: "unreachable", detail }))
      )
    return {
      planOf: (projectId) => {
        const plan = source.planOf(projectId)
        // The fixed plan needs no fiber for its bound.
        if (Exit.isExit(plan)) return plan
        return Effect.timeoutOrElse(
          Effect.tapDefect(plan, (bug) => logBug(projectId, bug)),
          {
            duration: Duration.millis(planMillisMax),
            orElse: () => tooLate(projectId)
          }
        )
      }
    }
  })
)
