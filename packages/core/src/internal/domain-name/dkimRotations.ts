/**
 * Rotates the DKIM keys of sender domains. Source: decision 0103.
 */
import { Effect } from "effect"
import { isRotating, rotateDkimKey } from "../../decide/domain-name/dkimRotation.ts"
import { domainInScope, idsOfDomain } from "../../decide/domain-name/senderDomain.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { DomainDeps, DomainOfCaller } from "./domainChecks.ts"
import { loadDomain } from "./domainChecks.ts"

/** Returns the function that gives a domain a new DKIM key. Makes no key for a domain that is being rotated. */
export const makeRotateDkimKey = ({ store, commit, ids, host, newDkimKey }: DomainDeps) =>
  Effect.fnUntraced(function* ({ projectId, domainId, domainScope }: DomainOfCaller) {
    const load = loadDomain(store, projectId, domainId)
    const existing = yield* Effect.fromResult(domainInScope(domainId, { domainScope, ...(yield* load) }))
    if (isRotating(existing)) return existing
    const dkimKey = yield* newDkimKey(projectId)
    const clock = yield* clockFacts(ids, idsOfDomain)
    return yield* commit(
      load,
      (facts) => rotateDkimKey(domainId, { ...clock, host, dkimKey, domainScope, ...facts }),
      "bounded"
    )
  })
