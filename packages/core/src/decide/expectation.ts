/**
 * Guards for records that a decision read but does not write.
 */
import type { ApiKey } from "../domain/ApiKey.ts"
import type { Change } from "../domain/Change.ts"
import type { Resource } from "../domain/Resource.ts"
import type { CounterName } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import type { Suppression } from "../domain/Suppression.ts"

/** Guards an API key. Returns no guard for the embedding product, which has no API key. */
export const expectKey = (key: ApiKey | null): ReadonlyArray<Change> =>
  key === null ? [] : [{ _tag: "Expect", record: { kind: "ApiKey", id: key.id }, revision: key.revision }]

export const expectDomain = (projectId: ProjectId, domain: string, existing: SenderDomain | null): Change => ({
  _tag: "Expect",
  record: { kind: "Domain", projectId, domain },
  revision: existing?.revision ?? null
})

export const expectSuppression = (projectId: ProjectId, addressKey: string, existing: Suppression | null): Change => ({
  _tag: "Expect",
  record: { kind: "Suppression", projectId, addressKey },
  revision: existing?.revision ?? null
})

export const expectResource = ({ id, revision }: Resource): Change => ({
  _tag: "Expect",
  record: { kind: "Resource", id },
  revision
})

/** Guards that a counter is still 0 when the commit is applied. */
export const expectUncounted = (projectId: ProjectId, name: CounterName): Change => ({
  _tag: "SpendCounter",
  projectId,
  name,
  by: 0,
  max: 0
})
