/**
 * Creates sender domains. Generating a DKIM key takes time, so a domain that is refused or that exists already generates none. Source: decision 0013.
 */
import type { Result } from "effect"
import { Effect } from "effect"
import type { CreateDomainFacts } from "../../decide/domain-name/senderDomain.ts"
import { idsOfDomain, needsDkimKey } from "../../decide/domain-name/senderDomain.ts"
import type { Decision } from "../../decide/store/Decision.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { CreateDomainInput, SenderDomainRecord, ValidCreateDomain } from "../../domain/domain-name/SenderDomain.ts"
import { noDomainFilters, parseCreateDomain } from "../../domain/domain-name/SenderDomain.ts"
import { parseDomain } from "../../domain/message/Address.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { failWhileDeleting } from "../access/projectDeletion.ts"
import { clockFacts } from "../store/clockFacts.ts"
import { validated, validCaller } from "../validated.ts"
import type { DomainDeps } from "./domainChecks.ts"

export interface DomainCreationDeps extends DomainDeps {
  readonly ensureProject: (projectId: ProjectId) => Effect.Effect<unknown, InvalidArgument | StoreUnavailable>
}

type DecideCreation<E> = (
  input: ValidCreateDomain,
  facts: CreateDomainFacts
) => Result.Result<Decision<SenderDomainRecord>, E>

/** Makes the function that creates a domain by a decision, and its project if there is none. Returns the domain that the decision answers. */
export const makeDomainCreation = ({ store, commit, ids, host, dkimKeys, ensureProject }: DomainCreationDeps) =>
  Effect.fnUntraced(function* <E>(caller: Caller, input: CreateDomainInput, decide: DecideCreation<E>) {
    const { projectId, domainScope } = yield* validCaller(caller)
    const valid = yield* validated(parseCreateDomain, input)
    const clock = yield* clockFacts(ids, idsOfDomain)
    const readFacts = Effect.map(
      store.read([
        { _tag: "Domain", projectId, domain: parseDomain(valid.domain) ?? "" },
        { _tag: "DomainPage", projectId, filters: noDomainFilters, page: { page: 1, limit: 1 } }
      ]),
      ([existing, { total: count }]) => ({ ...clock, projectId, domainScope, existing, count, host })
    )
    const load = Effect.andThen(failWhileDeleting(store, projectId), readFacts)
    yield* Effect.fromResult(decide(valid, { ...(yield* load), dkimKey: null }))
    yield* ensureProject(projectId)
    const dkimKey = yield* Effect.cached(dkimKeys.generate(projectId))
    const loadWithKey = Effect.gen(function* () {
      const facts = yield* load
      return { ...facts, dkimKey: needsDkimKey(valid, facts) ? yield* dkimKey : null }
    })
    return yield* commit(loadWithKey, (facts) => decide(valid, facts), "bounded")
  })
