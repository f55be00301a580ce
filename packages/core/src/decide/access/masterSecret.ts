/**
 * Whether a process may open the store with its master secret. The first commit to a new store keeps the check of the first master secret. When two
 * processes open a new store at once, the second one finds the check of the first. Source: decision 0035.
 */
import { Result } from "effect"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"

/** The setting with a master secret that the store keeps itself. */
export const masterSetting = "master_secret"
/** The setting that identifies the first master secret, and does not reveal it. */
export const checkSetting = "master_secret_check"

/** What the store knows; each value is `null` if it has none. A store of an earlier version has no check of its own master secret. */
interface StoredMaster {
  readonly own: string | null
  readonly check: string | null
}

export interface GivenMasterFacts extends StoredMaster {
  /** The check of the master secret that was given. */
  readonly givenCheck: string
}

/** Opens the store with a master secret that was given. */
export const openWithGivenMaster = ({
  own,
  check,
  givenCheck
}: GivenMasterFacts): Result.Result<Decision<null>, "store_has_own_secret" | "different"> => {
  if (own !== null) return Result.fail("store_has_own_secret")
  if (check === null)
    return Result.succeed({ answer: null, changes: [{ _tag: "PutSetting", name: checkSetting, value: givenCheck }] })
  return check === givenCheck ? Result.succeed(unchanged(null)) : Result.fail("different")
}

export interface OwnMasterFacts extends StoredMaster {
  /** The master secret that a new store keeps. */
  readonly generated: string
  readonly generatedCheck: string
}

/** Opens the store with the master secret that it keeps itself. The answer is this secret. */
export const openWithOwnMaster = ({
  own,
  check,
  generated,
  generatedCheck
}: OwnMasterFacts): Result.Result<Decision<string>, "missing"> => {
  if (own !== null) return Result.succeed(unchanged(own))
  if (check !== null) return Result.fail("missing")
  return Result.succeed({
    answer: generated,
    changes: [
      { _tag: "PutSetting", name: masterSetting, value: generated },
      { _tag: "PutSetting", name: checkSetting, value: generatedCheck }
    ]
  })
}
