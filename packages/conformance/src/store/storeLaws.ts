/**
 * The laws of the store.
 */
import type { MailStore } from "@mailkeep/core/port"
import { Context } from "effect"
import type { LawBook } from "../Law.ts"
import { claimLaws } from "./claims.ts"
import { commitLaws } from "./commit.ts"
import { contactLaws } from "./contacts.ts"
import { counterLaws } from "./counters.ts"
import { resourceLaws } from "./resources.ts"
import { differentialLaws } from "./differential.ts"
import { durabilityLaws } from "./durability.ts"
import { guardLaws } from "./guards.ts"
import { idempotencyLaws } from "./idempotency.ts"
import { isolationLaws } from "./isolation.ts"
import { logLaws } from "./log.ts"
import { outboxLaws } from "./outbox.ts"
import { processLaws } from "./processes.ts"
import { eventDeliveryLaws } from "./eventDeliveries.ts"
import { segmentLaws } from "./segments.ts"
import type { StoreSubject } from "./StoreSubject.ts"
import { openStore, StorePlace } from "./StoreSubject.ts"
import { timeLaws } from "./time.ts"

export const storeLaws: LawBook<StoreSubject, MailStore | StorePlace> = {
  port: "store",
  capabilities: ["durable", "multiProcess"],
  laws: [
    ...commitLaws,
    ...guardLaws,
    ...contactLaws,
    ...segmentLaws,
    ...resourceLaws,
    ...logLaws,
    ...claimLaws,
    ...idempotencyLaws,
    ...counterLaws,
    ...outboxLaws,
    ...eventDeliveryLaws,
    ...isolationLaws,
    ...timeLaws,
    ...durabilityLaws,
    ...processLaws,
    ...differentialLaws
  ],
  open: openStore,
  lacks: ({ runs }, { capabilities, context }) =>
    runs !== undefined && !(runs >= 1)
      ? "runs must be at least 1, so that the differential law runs"
      : Object.values(capabilities).includes(true) && Context.get(context, StorePlace).here.child === undefined
        ? "a store that declares durable or multiProcess must give a child module, so that another process can open it"
        : undefined
}
