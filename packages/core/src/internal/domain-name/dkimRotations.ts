/**
 * Rotates and imports the DKIM keys of sender domains. Source: decision 0103.
 */
import { Effect } from "effect"
import { importDkimKey, isRotating, rotateDkimKey } from "../../decide/domain-name/dkimRotation.ts"
import { domainInScope, idsOfDomain } from "../../decide/domain-name/senderDomain.ts"
import type { ImportDkimKeyInput } from "../../domain/domain-name/DkimKeyImport.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { DomainDeps, DomainOfCaller } from "./domainChecks.ts"
import { loadDomain } from "./domainChecks.ts"

/** Returns the function that gives a domain a new DKIM key. Makes no key for a domain that is being rotated. */
export const makeRotateDkimKey = ({ store, commit, ids, host, dkimKeys }: DomainDeps) =>
  Effect.fnUntraced(function* ({ projectId, domainId, domainScope }: DomainOfCaller) {
    const load = loadDomain(store, projectId, domainId)
    const existing = yield* Effect.fromResult(domainInScope(domainId, { domainScope, ...(yield* load) }))
    if (isRotating(existing)) return existing
    const dkimKey = yield* dkimKeys.generate(projectId)
    const clock = yield* clockFacts(ids, idsOfDomain)
    return yield* commit(
      load,
      (facts) => rotateDkimKey(domainId, { ...clock, host, dkimKey, domainScope, ...facts }),
      "bounded"
    )
  })

/** Returns the function that gives a domain a DKIM key of the caller. */
export const makeImportDkimKey = ({ store, commit, ids, host, dkimKeys }: DomainDeps) =>
  Effect.fnUntraced(function* ({ projectId, domainId, domainScope }: DomainOfCaller, given: ImportDkimKeyInput) {
    const dkimKey = yield* dkimKeys.read(given)
    const clock = yield* clockFacts(ids, idsOfDomain)
    return yield* commit(
      loadDomain(store, projectId, domainId),
      (facts) => importDkimKey(domainId, { ...clock, host, dkimKey, domainScope, ...facts }),
      "bounded"
    )
  })
