/**
 * The rules for the options of the stub. With a misspelled `script`, the stub would deliver everything.
 */
import { types } from "node:util"
import type { TransportCapabilities } from "@mailkeep/core/adapter"
import type { OptionRules } from "@mailkeep/core/options"
import {
  flagOption,
  functionOption,
  isFields,
  listOption,
  mustBe,
  optionsOf,
  wholeOption,
  wholeOrNullOption
} from "@mailkeep/core/options"
import type { StubAct, StubOptions, StubRule } from "./StubOptions.ts"

const acts: Readonly<Record<StubAct["act"], true>> = {
  accept: true,
  deliver: true,
  defer: true,
  refuse: true,
  hang: true,
  loseReply: true,
  disconnect: true,
  crash: true
}

const isAct = (value: unknown): boolean =>
  isFields(value) && typeof value["act"] === "string" && Object.hasOwn(acts, value["act"])

const rule: OptionRules<StubRule> = {
  recipient: mustBe("an address or a pattern", (value) => typeof value === "string" || types.isRegExp(value)),
  acts: mustBe(
    `a list of at least one act, such as { act: "defer" }; the acts are ${Object.keys(acts).join(", ")}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every(isAct)
  )
}

const ofRule = optionsOf(rule, { required: ["acts"] })

const capabilities: OptionRules<TransportCapabilities> = {
  confirmsDelivery: flagOption,
  signalsFinalize: flagOption,
  idempotentHandOff: flagOption,
  maxMessageBytes: wholeOrNullOption(1, Number.MAX_SAFE_INTEGER),
  smtpUtf8: flagOption,
  handOffsAtOnceMax: wholeOption(1, Number.MAX_SAFE_INTEGER)
}

const count = mustBe(
  "a whole number from 0, or Infinity",
  (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= 0)
)

const rules: OptionRules<StubOptions> = {
  script: (value, path) =>
    listOption("rules, each with acts", () => true)(value, path) ??
    (value as ReadonlyArray<unknown>)
      .map((one, n) => ofRule(one, `${path}[${n}]`))
      .find((problem) => problem !== undefined),
  capabilities: optionsOf(capabilities),
  keep: count,
  keepBytes: count,
  crash: functionOption,
  onCaptured: functionOption
}

/** Says what is wrong with the options. */
export const stubOptionsRule = optionsOf(rules, { owner: "the stub" })
