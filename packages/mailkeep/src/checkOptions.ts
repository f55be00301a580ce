/**
 * Checks the options of a mail before anything uses them. Here is only the form of each option. The core checks the values, such as the name of a domain.
 */
import { isProjectId, parseSend } from "@mailkeep/core/binding"
import { Layer, Result } from "effect"
import type { MailOptions } from "./MailOptions.ts"

/** Whether a value has the form of an option, and the form in words: "must be …". */
interface OptionCheck {
  readonly isValid: (value: unknown) => boolean
  readonly form: string
}

const isText = (value: unknown): value is string => typeof value === "string"

const isFunction = (value: unknown): boolean => typeof value === "function"

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Does not read the field `layer`, because an adapter may make its layer there. */
const isAdapter = (value: unknown): boolean => Layer.isLayer(value) || (isObject(value) && "layer" in value)

const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isItem)

/** Checks the sender as the core checks that of a send. */
const isSender = (value: unknown): boolean => {
  const message = { from: value, to: "ada@example.org", subject: "Welcome", text: "Hello." }
  return isText(value) && Result.isSuccess(parseSend(message, "embedded", false))
}

const isOutbox = (value: unknown): boolean =>
  isObject(value) && ["take", "remove", "refuse"].every((name) => isFunction(Reflect.get(value, name)))

const settings: OptionCheck = { isValid: isObject, form: "an object" }

/** Every option. The compiler refuses this list when `MailOptions` has another option. */
const checks: Readonly<Record<keyof MailOptions, OptionCheck>> = {
  store: { isValid: isAdapter, form: 'a store, such as sqlite("mail.db")' },
  transport: { isValid: isAdapter, form: 'a transport, such as smtp("smtp://relay.example") or stub()' },
  domains: { isValid: isListOf((item) => isText(item) || isObject(item)), form: 'a list, such as ["acme.example"]' },
  from: { isValid: isSender, form: 'a sender, such as "Acme <hi@acme.example>"' },
  projectId: {
    isValid: (value) => isText(value) && isProjectId(value),
    form: "1 to 64 letters, digits, hyphens or underscores"
  },
  plan: { isValid: (value) => isObject(value) || isFunction(value), form: "an object or a function" },
  background: { isValid: (value) => typeof value === "boolean", form: "true or false" },
  masterSecret: { isValid: isText, form: "a text of at least 32 characters" },
  webhooks: settings,
  unsubscribe: settings,
  mailHost: {
    isValid: (value) => isText(value) || isObject(value),
    form: 'the name of a mail host, such as "mail.acme.example"'
  },
  nameServers: { isValid: isListOf(isText), form: 'a list of addresses, such as ["127.0.0.1:5353"]' },
  attachmentFolder: { isValid: isText, form: "the path of a folder" },
  retention: settings,
  outbox: { isValid: isOutbox, form: "an object with the functions take, remove and refuse" },
  dispatcher: settings,
  handOff: settings,
  events: settings,
  health: settings,
  graceMillis: { isValid: (value) => typeof value === "number" && value >= 0, form: "a number of milliseconds from 0" },
  adapters: { isValid: Layer.isLayer, form: "a layer of Effect" },
  onLog: { isValid: isFunction, form: "a function" }
}

const required: ReadonlySet<string> = new Set<keyof MailOptions>(["store", "transport"])

/**
 * Throws a `TypeError` for an unknown option, for one that is missing and for one of another form. The message names the option, and never shows its
 * value, because a value can be a secret.
 */
export const checkOptions = (options: MailOptions): void => {
  if (!isObject(options))
    throw new TypeError('A mail needs options, such as { store: sqlite("mail.db"), transport: stub() }.')
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name))
  if (unknown !== undefined)
    throw new TypeError(
      `${JSON.stringify(unknown)} is not an option of a mail. The options are ${Object.keys(checks).join(", ")}.`
    )
  for (const [name, { isValid, form }] of Object.entries(checks)) {
    const value = options[name as keyof MailOptions]
    if (value === undefined ? required.has(name) : !isValid(value)) throw new TypeError(`${name} must be ${form}.`)
  }
}
