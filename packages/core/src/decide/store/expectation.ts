/**
 * Guards for records that a decision read but does not write.
 */
import type { ApiKeyRecord } from "../../domain/access/ApiKey.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { Resource } from "../../domain/store/Resource.ts"
import type { CounterName } from "../../domain/plan/Plan.ts"
import { deletionIdOf } from "../../domain/access/ProjectDeletion.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { SenderDomainRecord } from "../../domain/domain-name/SenderDomain.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"

/** Guards an API key. Returns no guard for the embedding product, which has no API key. */
export const expectApiKey = (apiKey: ApiKeyRecord | null): ReadonlyArray<Change> =>
  apiKey === null
    ? []
    : [
        {
          _tag: "Expect",
          record: { kind: "ApiKey", projectId: apiKey.projectId, id: apiKey.id },
          revision: apiKey.revision
        }
      ]

export const expectDomain = (projectId: ProjectId, domain: string, existing: SenderDomainRecord | null): Change => ({
  _tag: "Expect",
  record: { kind: "Domain", projectId, domain },
  revision: existing?.revision ?? null
})

export const expectSuppression = (
  projectId: ProjectId,
  addressKey: string,
  existing: SuppressionRecord | null
): Change => ({
  _tag: "Expect",
  record: { kind: "Suppression", projectId, addressKey },
  revision: existing?.revision ?? null
})

export const expectResource = ({ projectId, id, revision }: Resource): Change => ({
  _tag: "Expect",
  record: { kind: "Resource", projectId, id },
  revision
})

/** Guards that the project is not being deleted. */
export const expectNoDeletion = (projectId: ProjectId): Change => ({
  _tag: "Expect",
  record: { kind: "Resource", projectId, id: deletionIdOf(projectId) },
  revision: null
})

/** Guards that a counter is still 0 when the commit is applied. */
export const expectCounterZero = (projectId: ProjectId, name: CounterName): Change => ({
  _tag: "AddToCounter",
  projectId,
  name,
  by: 0,
  max: 0
})
