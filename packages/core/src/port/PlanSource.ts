/**
 * The port that returns the plan of a project. It is called for each use of a limit, so a changed plan applies at once.
 */
import { Context, Effect, Layer, Result } from "effect"
import { InvalidArgument } from "../domain/value/Failure.ts"
import type { Plan } from "../domain/plan/Plan.ts"
import { parsePlan, noLimits } from "../domain/plan/Plan.ts"
import type { ProjectId } from "../domain/access/Project.ts"
import { StoreUnavailable } from "./MailStore.ts"
import { isPromiseLike, promised } from "./promised.ts"

const isUnavailable = (cause: unknown): cause is StoreUnavailable => cause instanceof StoreUnavailable

/** What a function returns. Waits only for a promise, so that a call in a transaction of the product can use a plan that is known at once. */
const returned = <A>(call: () => A | PromiseLike<A>): Effect.Effect<A, StoreUnavailable> =>
  Effect.suspend(() => {
    try {
      const value = call()
      return isPromiseLike(value) ? promised(async () => value, isUnavailable) : Effect.succeed(value)
    } catch (cause) {
      return isUnavailable(cause) ? Effect.fail(cause) : Effect.die(cause)
    }
  })

/** The plan with every limit. An absent limit means no limit. The path of an issue begins with `plan`, because a caller who sends mail did not give the plan. */
const wholePlan = (plan: Partial<Plan>): Effect.Effect<Plan, InvalidArgument> =>
  Effect.suspend(() => {
    const limits = parsePlan(plan)
    if (Result.isSuccess(limits)) return Effect.succeed({ ...noLimits, ...limits.success })
    const issues = limits.failure.map((one) => ({ ...one, path: ["plan", ...one.path] }))
    return Effect.fail(new InvalidArgument({ argument: "input", issues }))
  })

/**
 * Returns the plan of a project: its limits. It is called for each use of a limit, so a changed plan applies at once.
 *
 * @example
 * ```ts
 * import { noLimits, PlanSource } from "@mailkeep/core"
 * import { Effect, Layer } from "effect"
 *
 * // 100 recipients a day for the trial project, and no limit for the others.
 * export const layer = Layer.succeed(PlanSource, {
 *   planOf: (projectId) => Effect.succeed(projectId === "prj_trial" ? { ...noLimits, dailySends: 100 } : noLimits)
 * })
 * ```
 */
export class PlanSource extends Context.Service<
  PlanSource,
  {
    /**
     * The plan of a project. This function should read from memory, because the core calls it often: for each send, reschedule and created contact, and
     * for each scheduled delivery that is due. The core also calls it for each batch of an import, and for each request that a rate limit counts.
     */
    readonly planOf: (projectId: ProjectId) => Effect.Effect<Plan, StoreUnavailable>
  }
>()("@mailkeep/core/port/PlanSource") {
  /** The same plan for every project. Fails when a limit is not a whole number of at least 0. */
  static readonly layerFixed = (plan: Partial<Plan>): Layer.Layer<PlanSource, InvalidArgument> =>
    Layer.effect(
      PlanSource,
      Effect.map(wholePlan(plan), (fixed) => ({ planOf: () => Effect.succeed(fixed) }))
    )

  /**
   * The plan that a function returns for each project, at once or later. An absent limit means no limit. Limits that are not valid, and a rejection of the function, are
   * defects of the call that needs the plan, except a rejection with `StoreUnavailable`.
   */
  static readonly layerFromPromises = (
    planOf: (projectId: ProjectId) => Partial<Plan> | PromiseLike<Partial<Plan>>
  ): Layer.Layer<PlanSource> =>
    Layer.succeed(PlanSource, {
      planOf: (projectId) =>
        Effect.flatMap(
          returned(() => planOf(projectId)),
          (plan) => Effect.orDie(wholePlan(plan))
        )
    })
}
