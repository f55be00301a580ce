/**
 * The rules for the options of the stub. With a misspelled `script`, the stub would deliver everything.
 */
import { types } from "node:util"
import type { SmtpStage, TransportCapabilities } from "@mailkeep/core/adapter"
import type { OptionRule, OptionRules } from "@mailkeep/core/options"
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

type ActName = StubAct["act"]

const text = mustBe("text", (value) => typeof value === "string")

const oneOf = (names: Readonly<Record<string, true>>): OptionRule =>
  mustBe(`one of ${Object.keys(names).join(", ")}`, (value) => typeof value === "string" && Object.hasOwn(names, value))

const stages: Readonly<Record<SmtpStage, true>> = {
  connect: true,
  greeting: true,
  auth: true,
  mail: true,
  rcpt: true,
  data: true,
  endOfData: true
}

const refusal = { smtpCode: wholeOption(400, 599), enhancedCode: text, text, stage: oneOf(stages) }

const actOf = <Name extends ActName>(
  rules: Omit<OptionRules<Extract<StubAct, { readonly act: Name }>>, "act">
): OptionRule => optionsOf({ act: text, ...rules })

const acts: Readonly<{ [Name in ActName]: OptionRule }> = {
  accept: actOf<"accept">({}),
  deliver: actOf<"deliver">({}),
  defer: actOf<"defer">(refusal),
  refuse: actOf<"refuse">(refusal),
  hang: actOf<"hang">({ whileFinalizing: flagOption }),
  loseReply: actOf<"loseReply">({}),
  disconnect: actOf<"disconnect">({}),
  crash: actOf<"crash">({ when: oneOf({ before: true, after: true }) })
}

const isAct = (value: unknown): boolean =>
  isFields(value) && typeof value["act"] === "string" && Object.hasOwn(acts, value["act"])

const actList = mustBe(
  `a list of at least one act, such as { act: "defer" }; the acts are ${Object.keys(acts).join(", ")}`,
  (value) => Array.isArray(value) && value.length > 0 && value.every(isAct)
)

/** The first problem of the items of a list. */
const problemOfItems = <Item>(
  items: ReadonlyArray<Item>,
  path: string,
  problemOf: (item: Item, path: string) => string | undefined
): string | undefined =>
  items.map((item, n) => problemOf(item, `${path}[${n}]`)).find((problem) => problem !== undefined)

const rule: OptionRules<StubRule> = {
  recipient: mustBe("an address or a pattern", (value) => typeof value === "string" || types.isRegExp(value)),
  acts: (value, path) =>
    actList(value, path) ?? problemOfItems(value as ReadonlyArray<StubAct>, path, (act, at) => acts[act.act](act, at))
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
    problemOfItems(value as ReadonlyArray<unknown>, path, ofRule),
  capabilities: optionsOf(capabilities),
  keep: count,
  keepBytes: count,
  crash: functionOption,
  onCaptured: functionOption
}

/** Says what is wrong with the options. */
export const stubOptionsRule = optionsOf(rules, { owner: "the stub" })
