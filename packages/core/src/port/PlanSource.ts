/**
 * The port that returns the plan of a project. It is called for every request, so a changed plan applies at once.
 */
import { Context, Effect, Layer, Result } from "effect"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Plan } from "../domain/Plan.ts"
import { parsePlan, noLimits } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { StoreUnavailable } from "./MailStore.ts"

export class PlanSource extends Context.Service<
  PlanSource,
  { readonly planOf: (projectId: ProjectId) => Effect.Effect<Plan, StoreUnavailable> }
>()("@mailkeep/core/port/PlanSource") {
  /** The same plan for every project. Fails when a limit is not a whole number of at least 0. */
  static readonly layerFixed = (plan: Partial<Plan>): Layer.Layer<PlanSource, InvalidArgument> =>
    Layer.effect(
      PlanSource,
      Effect.suspend(() => {
        const limits = parsePlan(plan)
        if (Result.isFailure(limits))
          return Effect.fail(new InvalidArgument({ context: "body", issues: limits.failure }))
        const fixed: Plan = { ...noLimits, ...limits.success }
        return Effect.succeed({ planOf: () => Effect.succeed(fixed) })
      })
    )
}
