/**
 * A project: the tenant. Every record belongs to one project, and no project can access another project's records.
 */
import { Schema } from "effect"
import type { Instant } from "../value/Instant.ts"
import type { Parser } from "../value/Issue.ts"
import { decoder, says } from "../value/Issue.ts"

/** A project id that the operator chooses, such as `prj_acme`: 1 to 64 letters, digits, hyphens or underscores. */
export type ProjectId = string

/** Every policy for ambiguous attempts. */
export const ambiguityPolicies = ["retry", "fail"] as const
/** What happens to a delivery after an ambiguous attempt: `retry` may send the message twice, `fail` may lose it. */
export type OnAmbiguous = (typeof ambiguityPolicies)[number]

/** A project and its settings. */
export interface Project {
  readonly id: ProjectId
  readonly onAmbiguous: OnAmbiguous
  /** Whether messages have the header field `List-Unsubscribe`, unless the send says otherwise. */
  readonly listUnsubscribe: boolean
  readonly createdAt: Instant
}

/** A project as a store keeps it. */
export interface ProjectRecord extends Project {
  readonly revision: number
}

/** Returns the project without the fields that only the store needs. */
export const toProject = ({ id, onAmbiguous, listUnsubscribe, createdAt }: ProjectRecord): Project => ({
  id,
  onAmbiguous,
  listUnsubscribe,
  createdAt
})

const idForm = /^[A-Za-z0-9_-]{1,64}$/u

/** Whether the text is a project id: 1 to 64 letters, digits, hyphens and underscores of ASCII. */
export const isProjectId = (text: string): boolean => idForm.test(text)

/** The settings of a project to change. An absent field keeps its value. */
export interface UpdateProjectInput {
  /** Applies to sends without a policy of their own. A new project has `retry`. */
  readonly onAmbiguous?: OnAmbiguous | undefined
  /** Applies to sends that do not say otherwise. A new project has `false`. Needs `MailCoreOptions.unsubscribe`. */
  readonly listUnsubscribe?: boolean | undefined
}

const UpdateProject = Schema.Struct({
  onAmbiguous: Schema.optionalKey(
    Schema.Literals(ambiguityPolicies).annotate(says("invalid_value", `must be ${ambiguityPolicies.join(" or ")}`))
  ),
  listUnsubscribe: Schema.optionalKey(Schema.Boolean)
})

declare const valid: unique symbol
/** Settings that `parseUpdateProject` has checked. */
export type ValidUpdateProject = typeof UpdateProject.Type & { readonly [valid]: "update" }
export const parseUpdateProject = decoder(UpdateProject) as Parser<ValidUpdateProject>
