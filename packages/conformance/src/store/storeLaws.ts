/**
 * The laws of the store.
 */
import type { MailStore } from "@mailkeep/core/adapter"
import { Context } from "effect"
import type { LawBook } from "../Law.ts"
import { domainValueLaws } from "./domainValues.ts"
import { claimLaws } from "./claims.ts"
import { claimFenceLaws } from "./claimFences.ts"
import { claimFairnessLaws } from "./claimFairness.ts"
import { clockSetBackLaws } from "./clockSetBack.ts"
import { commitLaws } from "./commit.ts"
import { unchangedValueLaws } from "./unchangedValues.ts"
import { concurrentWriteLaws } from "./concurrentWrites.ts"
import { contactIndexLaws } from "./contactIndexes.ts"
import { contactSearchLaws } from "./contactSearches.ts"
import { contactLaws } from "./contacts.ts"
import { contentLaws } from "./contents.ts"
import { counterLaws } from "./counters.ts"
import { resourceLaws } from "./resources.ts"
import { differentialLaws } from "./differential.ts"
import { durabilityLaws } from "./durability.ts"
import { emptyStoreLaws } from "./emptyStore.ts"
import { exactIdLaws } from "./exactIds.ts"
import { guardLaws } from "./guards.ts"
import { deliveryGuardLaws } from "./deliveryGuards.ts"
import { idempotencyLaws } from "./idempotency.ts"
import { isolatedWriteLaws } from "./isolatedWrites.ts"
import { isolationLaws } from "./isolation.ts"
import { joinedTransactionLaws } from "./joinedTransactions.ts"
import { largestValueLaws } from "./largestValues.ts"
import { leaseLaws } from "./leases.ts"
import { leaseSweepLaws } from "./leaseSweeps.ts"
import { logLaws } from "./log.ts"
import { ownCopyLaws } from "./ownCopies.ts"
import { messageSweepLaws } from "./messageSweeps.ts"
import { orderLaws } from "./order.ts"
import { logPageLaws } from "./logPages.ts"
import { logStatusLaws } from "./logStatuses.ts"
import { projectSearchLaws } from "./projectSearches.ts"
import { outboxLaws } from "./outbox.ts"
import { pageLaws } from "./pages.ts"
import { processLaws } from "./processes.ts"
import { eventDeliveryLaws } from "./eventDeliveries.ts"
import { readLaws } from "./reads.ts"
import { recordRemovalLaws } from "./recordRemovals.ts"
import { recordRewriteLaws } from "./recordRewrites.ts"
import { recordsTogetherLaws } from "./recordsTogether.ts"
import { rewrittenEventLaws } from "./rewrittenEvents.ts"
import { recordUpdateLaws } from "./recordUpdates.ts"
import { sameIdLaws } from "./sameIds.ts"
import { segmentLaws } from "./segments.ts"
import { segmentTableLaws } from "./segmentTable.ts"
import { singleWriteLaws } from "./singleWrites.ts"
import { storedRecordLaws } from "./storedRecords.ts"
import type { StoreSubject } from "./StoreSubject.ts"
import { openStore, StorePlace } from "./StoreSubject.ts"
import { sweepLaws } from "./sweeps.ts"
import { timeLaws } from "./time.ts"

/** The laws of `MailStore`. */
export const storeLaws: LawBook<StoreSubject, MailStore | StorePlace> = {
  port: "store",
  capabilities: ["durable", "multiProcess", "joinsTransactions"],
  laws: [
    ...commitLaws,
    ...unchangedValueLaws,
    ...readLaws,
    ...emptyStoreLaws,
    ...singleWriteLaws,
    ...domainValueLaws,
    ...largestValueLaws,
    ...guardLaws,
    ...deliveryGuardLaws,
    ...concurrentWriteLaws,
    ...recordUpdateLaws,
    ...exactIdLaws,
    ...contactLaws,
    ...contactIndexLaws,
    ...contactSearchLaws,
    ...segmentLaws,
    ...segmentTableLaws,
    ...resourceLaws,
    ...logLaws,
    ...logPageLaws,
    ...logStatusLaws,
    ...projectSearchLaws,
    ...pageLaws,
    ...orderLaws,
    ...claimLaws,
    ...claimFenceLaws,
    ...claimFairnessLaws,
    ...clockSetBackLaws,
    ...leaseLaws,
    ...idempotencyLaws,
    ...counterLaws,
    ...outboxLaws,
    ...eventDeliveryLaws,
    ...ownCopyLaws,
    ...sweepLaws,
    ...leaseSweepLaws,
    ...contentLaws,
    ...messageSweepLaws,
    ...storedRecordLaws,
    ...recordRewriteLaws,
    ...recordsTogetherLaws,
    ...rewrittenEventLaws,
    ...recordRemovalLaws,
    ...isolationLaws,
    ...isolatedWriteLaws,
    ...sameIdLaws,
    ...timeLaws,
    ...durabilityLaws,
    ...processLaws,
    ...joinedTransactionLaws,
    ...differentialLaws
  ],
  open: openStore,
  lacks: ({ runs }, { capabilities, context }) => {
    const { here } = Context.get(context, StorePlace)
    if (runs !== undefined && !(runs >= 1)) return "runs must be at least 1, so that the differential law runs"
    if ((capabilities["durable"] === true || capabilities["multiProcess"] === true) && here.child === undefined)
      return "a store that declares durable or multiProcess must give a child module, so that another process can open it"
    return capabilities["joinsTransactions"] === true && here.beginTransaction === undefined
      ? "a store that has joinTransaction must give beginTransaction, so that a law can begin a transaction"
      : undefined
  }
}
