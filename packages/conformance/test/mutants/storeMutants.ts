/**
 * A mutant of the reference store for each law that needs neither a file nor several processes.
 */
import { claimMutants } from "./claimMutants.ts"
import { fairnessMutants } from "./fairnessMutants.ts"
import { contentMutants } from "./contentMutants.ts"
import { commitMutants } from "./commitMutants.ts"
import { listingMutants } from "./listingMutants.ts"
import type { Mutation } from "./mutating.ts"
import { queryMutants } from "./queryMutants.ts"
import { recordMutants } from "./recordMutants.ts"
import { storedRecordMutants } from "./storedRecordMutants.ts"

export const storeMutants: Readonly<Record<string, Mutation>> = {
  ...recordMutants,
  ...listingMutants,
  ...commitMutants,
  ...contentMutants,
  ...storedRecordMutants,
  ...queryMutants,
  ...claimMutants,
  ...fairnessMutants
}
