/**
 * Bounds how long the core waits for the plan of a project. Without a bound, a scheduled delivery would wait too. Logs the bugs of a plan source with
 * the project, because no caller gets them when a scheduled delivery is due.
 */
import { Cause, Effect, Exit, Layer } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { makeLogLimit } from "../../telemetry/logLimit.ts"
import { StoreUnavailable } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { makeFailureLog } from "../observability/failureLog.ts"
import { answerMillisMax, inTime } from "./inTime.ts"

const detail =
  "The plan of the project was not returned within 10 s. Its function should read from memory. Try again later."

/** What is wrong with limits that are not valid. The message of another error may contain an address. */
const problemOf = (bug: unknown) => (bug instanceof InvalidArgument ? { problem: bug.message } : {})

/** Replaces the plan source by one that fails with `StoreUnavailable` after 10 s without an answer, and whose bugs are logged. */
export const boundedPlanSource: Layer.Layer<PlanSource, never, PlanSource> = Layer.effect(
  PlanSource,
  Effect.map(PlanSource, (source) => {
    const { logLine } = makeLogLimit(answerMillisMax)
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
        // The fixed plan needs no timer, and no fiber for its bound.
        if (Exit.isExit(plan)) return plan
        return inTime(
          Effect.tapDefect(plan, (bug) => logBug(projectId, bug)),
          tooLate(projectId)
        )
      }
    }
  })
)
