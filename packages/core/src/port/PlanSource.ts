/**
 * The port that knows each project's plan. Asked for every request, so that a change counts at once.
 */
import { Context, Effect, Layer, Result } from "effect"
import { InvalidArgument } from "../domain/Failure.ts"
import type { Plan } from "../domain/Plan.ts"
import { parsePlan, unlimited } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { StoreUnavailable } from "./MailStore.ts"

export class PlanSource extends Context.Service<
  PlanSource,
  { readonly planOf: (projectId: ProjectId) => Effect.Effect<Plan, StoreUnavailable> }
>()("@mailkeep/core/port/PlanSource") {
  /** One plan for every project. Fails when a limit is not a whole number of at least 0. */
  static readonly layerFixed = (plan: Partial<Plan>): Layer.Layer<PlanSource, InvalidArgument> =>
    Layer.effect(
      PlanSource,
      Effect.suspend(() => {
        const limits = parsePlan(plan)
        if (Result.isFailure(limits))
          return Effect.fail(new InvalidArgument({ context: "body", issues: limits.failure }))
        const fixed: Plan = { ...unlimited, ...limits.success }
        return Effect.succeed({ planOf: () => Effect.succeed(fixed) })
      })
    )
}
