/**
 * The port that knows each project's plan. Asked for every request, so that a change counts at once.
 */
import { Context, Effect, Layer } from "effect"
import type { Plan } from "../domain/Plan.ts"
import { unlimited } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { StoreUnavailable } from "./MailStore.ts"

export class PlanSource extends Context.Service<
  PlanSource,
  { readonly planOf: (projectId: ProjectId) => Effect.Effect<Plan, StoreUnavailable> }
>()("@mailkeep/core/port/PlanSource") {
  /** One plan for every project. */
  static readonly layerFixed = (plan: Partial<Plan>): Layer.Layer<PlanSource> =>
    Layer.succeed(PlanSource, { planOf: () => Effect.succeed({ ...unlimited, ...plan }) })
}
