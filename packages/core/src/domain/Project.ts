/**
 * A project: the tenant. Every record belongs to one project, and no project can access another project's records.
 */
import { Schema } from "effect"
import type { Instant } from "./Instant.ts"
import { decoder, says } from "./Issue.ts"

export type ProjectId = string

/** What happens to a delivery after an ambiguous attempt. */
export const ambiguityPolicies = ["retry", "fail"] as const
export type OnAmbiguous = (typeof ambiguityPolicies)[number]

export interface Project {
  readonly id: ProjectId
  readonly onAmbiguous: OnAmbiguous
  readonly createdAt: Instant
  readonly revision: number
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/u

export const isProjectId = (text: string): boolean => idForm.test(text)

/** A project id that the operator chooses, such as `prj_acme`. */
const ProjectName = Schema.String.check(
  Schema.isPattern(idForm, says("invalid_value", "must be 1 to 64 letters, digits, hyphens or underscores"))
).annotate({ identifier: "ProjectId" })
export const parseProject = decoder(Schema.Struct({ project: ProjectName }))

const ProjectSettings = Schema.Struct({
  onAmbiguous: Schema.optionalKey(
    Schema.Literals(ambiguityPolicies).annotate(says("invalid_value", `must be ${ambiguityPolicies.join(" or ")}`))
  )
})
export type ProjectSettings = typeof ProjectSettings.Type
export const parseProjectSettings = decoder(ProjectSettings)
