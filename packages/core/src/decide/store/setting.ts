/**
 * Writes a setting of the store that must never change, when the store has none.
 */
import type { Decision } from "./Decision.ts"
import { unchanged } from "./Decision.ts"

export interface SettingFacts {
  readonly name: string
  /** The stored value; `null` if the store has none. */
  readonly existing: string | null
  /** The value to write. */
  readonly initial: string
}

/** The answer is the value that the store then has. */
export const ensureSetting = ({ name, existing, initial }: SettingFacts): Decision<string> =>
  existing === null ? { answer: initial, changes: [{ _tag: "PutSetting", name, value: initial }] } : unchanged(existing)
