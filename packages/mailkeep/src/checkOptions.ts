/**
 * Checks the options of a mail before anything uses them. The core has the rules of its own options. The opening checks the domains and the plan.
 */
import { MailCore } from "@mailkeep/core"
import { isMailHostName, isProjectId, mailHostRules, parseSend } from "@mailkeep/core/binding"
import { isNameServer } from "@mailkeep/core/node/dns"
import type { OptionRule, OptionRules } from "@mailkeep/core/options"
import {
  assertOptions,
  flagOption,
  functionOption,
  isFields,
  isRecord,
  listOption,
  mustBe,
  optionsOf
} from "@mailkeep/core/options"
import { Layer, Result } from "effect"
import type { ProjectHandleOptions } from "./Mail.ts"
import type { MailOptions } from "./MailOptions.ts"

const isText = (value: unknown): value is string => typeof value === "string"

const isFunction = (value: unknown): boolean => typeof value === "function"

/** Does not read the field `layer`, because an adapter may make its layer there. */
const isAdapter = (value: unknown): boolean => Layer.isLayer(value) || (isFields(value) && "layer" in value)

/** Checks the sender as the core checks that of a send. */
const isSender = (value: unknown): boolean => {
  const message = { from: value, to: "ada@example.org", subject: "Welcome", text: "Hello." }
  return isText(value) && Result.isSuccess(parseSend(message, "embedded", false))
}

const isOutbox = (value: unknown): boolean =>
  isFields(value) && ["take", "remove", "refuse"].every((name) => isFunction(Reflect.get(value, name)))

/** A name alone, or the names of the host and of the return path. */
const mailHost: OptionRule = (value, path) =>
  isFields(value)
    ? optionsOf(mailHostRules)(value, path)
    : mustBe('the name of a mail host, such as "mail.acme.example"', isMailHostName)(value, path)

const { dispatcher, retention, handOff, events, webhooks, health, unsubscribe, graceMillis } = MailCore.optionRules

/** Every option. The compiler refuses this list when `MailOptions` has another option. */
const rules: OptionRules<MailOptions> = {
  store: mustBe('a store, such as sqlite("mail.db"), or storeFromPromises(…) of your own', isAdapter),
  transport: mustBe(
    'a transport, such as smtp("smtp://relay.example") or stub(), or transportFromPromises(…) of your own',
    isAdapter
  ),
  domains: listOption('domains, such as ["acme.example"]', (item) => isText(item) || isFields(item)),
  from: mustBe('a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>', isSender),
  projectId: mustBe("1 to 64 letters, digits, hyphens or underscores", (value) => isText(value) && isProjectId(value)),
  plan: mustBe("an object or a function", (value) => isRecord(value) || isFunction(value)),
  background: flagOption,
  masterSecret: mustBe("a text of at least 32 characters", isText),
  webhooks,
  unsubscribe,
  mailHost,
  nameServers: mustBe(
    'a list of addresses, such as ["127.0.0.1:5353"]',
    (value) => Array.isArray(value) && value.length > 0 && value.every(isNameServer)
  ),
  attachmentFolder: mustBe("the path of a folder", isText),
  retention,
  outbox: mustBe("an object with the functions take, remove and refuse", isOutbox),
  dispatcher,
  handOff,
  events,
  health,
  graceMillis,
  adapters: mustBe("an adapter, such as sinkFromPromises(…) or a layer of Effect, or a list of adapters", (value) =>
    [value].flat().every((one) => Layer.isLayer(one))
  ),
  onLog: functionOption
}

const rule = optionsOf(rules, { owner: "a mail", required: ["store", "transport"] })

/** Throws a `TypeError` for an unknown option, for one that is missing and for one of another form, also within a group of options. */
export const checkOptions = (options: MailOptions): void => assertOptions(rule, options)

const handleRules: OptionRules<ProjectHandleOptions> = {
  from: mustBe('a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>', isText)
}

const handleRule = optionsOf(handleRules, { owner: "a project handle" })

/** Throws a `TypeError` for wrong settings of a project handle. Each send checks the form of the sender. */
export const checkHandleOptions = (options: ProjectHandleOptions | undefined): void => {
  if (options !== undefined) assertOptions(handleRule, options)
}
