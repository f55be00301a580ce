/**
 * Domains that the arguments of a command name.
 */
import { Domains } from "@mailkeep/core"
import { parseDomain } from "@mailkeep/core/binding"
import { Data, Effect } from "effect"
import { allItems } from "./pages.ts"

/** The project has no domain of this name. */
export class DomainNameUnknown extends Data.TaggedError("DomainNameUnknown")<{
  readonly project: string
  readonly domain: string
}> {
  override get message() {
    return `The project ${this.project} has no domain ${this.domain}.`
  }
}

/** The id of a domain that is given by its name or its id. An id is no domain name. A name may have other letters than the stored one: `bücher.example`. */
export const domainIdOf = Effect.fnUntraced(function* (project: string, nameOrId: string) {
  const name = parseDomain(nameOrId)
  if (name === undefined) return nameOrId
  const service = yield* Domains
  const found = yield* allItems((page) => service.list(project, { ...page, search: name }))
  return found.find(({ domain }) => domain === name)?.id ?? (yield* new DomainNameUnknown({ project, domain: name }))
})
