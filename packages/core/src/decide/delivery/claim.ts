/**
 * Whether a worker still holds its claim of a delivery. Source: decision 0006.
 */
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { DeliveryStatus } from "../../domain/delivery/DeliveryStatus.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

/**
 * The status of a delivery after the work on it. `claim_lost`: another worker has claimed the delivery since, or has recorded its result, so this
 * worker wrote nothing.
 */
export type HandledStatus = DeliveryStatus | "claim_lost"

export const claimLost: Decision<"claim_lost"> = unchanged("claim_lost")

/** Each write to a delivery changes its fencing token, so an equal fencing token shows that the claim still holds. */
export const holdsClaim = (claimed: Delivery, delivery: Delivery | null): delivery is Delivery =>
  delivery?.fencingToken === claimed.fencingToken

/** Whether this worker has already begun an attempt by its claim. The answer of that commit did not arrive, or its commit is repeated. */
export const hasBegunAttempt = (claimed: Delivery, delivery: Delivery | null): delivery is Delivery =>
  delivery?.status === "sending" &&
  delivery.worker === claimed.worker &&
  delivery.fencingToken === claimed.fencingToken + 1
