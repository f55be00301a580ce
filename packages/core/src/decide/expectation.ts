/**
 * Guards on what was read and is not written by the same commit.
 */
import type { ApiKey } from "../domain/ApiKey.ts"
import type { Change } from "../domain/Change.ts"
import type { Definition } from "../domain/Definition.ts"
import type { CounterName } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import type { Suppression } from "../domain/Suppression.ts"

/** Nothing to guard for the embedding product, which has no key. */
export const expectKey = (key: ApiKey | null): ReadonlyArray<Change> =>
  key === null ? [] : [{ _tag: "Expect", record: { kind: "ApiKey", id: key.id }, revision: key.revision }]

export const expectDomain = (projectId: ProjectId, domain: string, standing: SenderDomain | null): Change => ({
  _tag: "Expect",
  record: { kind: "Domain", projectId, domain },
  revision: standing?.revision ?? null
})

export const expectSuppression = (projectId: ProjectId, addressKey: string, standing: Suppression | null): Change => ({
  _tag: "Expect",
  record: { kind: "Suppression", projectId, addressKey },
  revision: standing?.revision ?? null
})

export const expectDefinition = ({ id, revision }: Definition): Change => ({
  _tag: "Expect",
  record: { kind: "Definition", id },
  revision
})

/** A counter that stands at nothing, and goes on doing so until this commit. */
export const expectUncounted = (projectId: ProjectId, name: CounterName): Change => ({
  _tag: "SpendCounter",
  projectId,
  name,
  by: 0,
  max: 0
})
