/**
 * The facts about a delivery to which nothing has happened yet, for the tests that explain it.
 */
import type { ExplainDeliveryFacts } from "../../../src/decide/delivery/deliveryEntries.ts"
import { delivery, message } from "../fixtures.ts"

export const explainDeliveryFacts = (change: Partial<ExplainDeliveryFacts> = {}): ExplainDeliveryFacts => ({
  delivery: delivery(),
  message: message(),
  attempts: [],
  suppression: null,
  apiKey: null,
  project: null,
  leases: [],
  events: [],
  subscriptionNames: new Map(),
  ...change
})
