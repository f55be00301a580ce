/**
 * The script of the stub: which act answers the next hand-off to an address.
 */
import type { NextOutcome } from "@mailkeep/core/adapter"
import type { StubAct, StubRule } from "./StubOptions.ts"

const delivering: StubAct = { act: "deliver" }

/** The act of an outcome that was chosen for the next hand-off. */
export const actsOfOutcomes = {
  accepted: { act: "accept" },
  delivered: delivering,
  deferred: { act: "defer" },
  refused: { act: "refuse" },
  ambiguous: { act: "loseReply" }
} as const satisfies Readonly<Record<NextOutcome, StubAct>>

/** An address has the same meaning in any case. A pattern is found also when it has a position from an earlier match. */
const matches = ({ recipient }: StubRule, address: string): boolean => {
  if (recipient === undefined) return true
  return typeof recipient === "string"
    ? recipient.toLowerCase() === address.toLowerCase()
    : address.search(recipient) !== -1
}

export interface StubScript {
  /** Returns the next act for an address: the acts of a rule apply in turn for each recipient. Without a rule, the stub delivers. */
  readonly takeAct: (address: string) => StubAct
  /** Adds rules before the existing rules. */
  readonly addRules: (rules: ReadonlyArray<StubRule>) => void
}

export const makeStubScript = (script: ReadonlyArray<StubRule>): StubScript => {
  const rules = [...script]
  const turns = new Map<StubRule, Map<string, number>>()
  return {
    takeAct: (address) => {
      const rule = rules.find((rule) => matches(rule, address))
      if (rule === undefined) return delivering
      const perRecipient = turns.get(rule) ?? new Map<string, number>()
      const turn = perRecipient.get(address) ?? 0
      turns.set(rule, perRecipient.set(address, turn + 1))
      return rule.acts[Math.min(turn, rule.acts.length - 1)]!
    },
    addRules: (added) => {
      rules.unshift(...added)
    }
  }
}
