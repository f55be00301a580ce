/**
 * Loads the facts for the decision of a send. `Sending` accepts, refuses or plans with them.
 */
import { Effect } from "effect"
import type { AcceptSend, AcceptSendFacts } from "../../decide/message/acceptSend.ts"
import { recipientsOf } from "../../decide/message/acceptSend.ts"
import type { SendTemplate } from "../../decide/message/sendContent.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import { dailyCounter } from "../../domain/plan/Plan.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import type { ClockFacts } from "../store/clockFacts.ts"
import { templateReads } from "../template/templateReads.ts"

/** What the facts of a send need. */
export interface SendFactsDeps {
  readonly store: MailStoreShape
  readonly plans: PlanSource["Service"]
  readonly addressKey: (address: string) => string
  /** Whether the transport can hand over an address that is not ASCII. */
  readonly smtpUtf8: boolean
  /** Whether messages can have links to unsubscribe. */
  readonly canUnsubscribe: boolean
}

/** Loads the template that a send names, if it is published and not archived. */
const loadTemplate = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  idOrAlias: string
): Effect.fn.Return<SendTemplate | null, StoreUnavailable> {
  const { find, withVersions, withBodies } = templateReads(store)
  const template = yield* find(projectId, idOrAlias)
  if (template === null || template.content.archivedAt !== null) return null
  const [summary] = yield* withVersions(projectId, [template])
  if (summary?.published == null) return null
  const [published] = yield* withBodies(projectId, [summary.published])
  return { template, ...published! }
})

/** Loads everything that the decision needs. */
export const loadSendFacts = (
  { store, plans, addressKey, smtpUtf8, canUnsubscribe }: SendFactsDeps,
  { principal, send, idempotency }: AcceptSend,
  { now, ids }: ClockFacts
): Effect.Effect<AcceptSendFacts, StoreUnavailable> => {
  const { projectId } = principal
  const { from, scheduledAt, templateId } = send
  const addresses = recipientsOf(send).map(({ address }) => address.canonical)
  const template = templateId === null ? Effect.succeed(null) : loadTemplate(store, projectId, templateId)
  const apiKey = principal.apiKeyId === null ? [] : [{ _tag: "ApiKey", projectId, id: principal.apiKeyId } as const]
  const reads = store.read([
    // No record has the empty key.
    { _tag: "Idempotency", projectId, key: idempotency?.key ?? "" },
    { _tag: "Domain", projectId, domain: from.domain },
    { _tag: "ContactsByAddress", projectId, addresses },
    { _tag: "Suppressions", projectId, addressKeys: addresses.map(addressKey) },
    {
      _tag: "Counters",
      projectId,
      names: [dailyCounter(utcDayOf(scheduledAt ?? now)), "allowance", "scheduledRecipients"]
    },
    { _tag: "Project", id: projectId },
    ...apiKey
  ])
  return Effect.zipWith(
    Effect.zip(plans.planOf(projectId), template),
    reads,
    (
      [plan, template],
      [idempotencyRecord, domain, contacts, suppressions, used, project, apiKey = null]
    ): AcceptSendFacts => ({
      now,
      ids,
      plan,
      smtpUtf8,
      idempotencyRecord,
      apiKey,
      domain,
      template,
      contacts,
      suppressions,
      usage: { daily: used[0]!, allowance: used[1]!, scheduledRecipients: used[2]! },
      project,
      canUnsubscribe
    })
  )
}
