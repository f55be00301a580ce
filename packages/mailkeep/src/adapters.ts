/**
 * The store and the transport of `openMail`: the ones of Mailkeep, and those of other authors.
 */
import type { MailStore, Transport } from "@mailkeep/core"
import { StoreNotOpened } from "@mailkeep/core"
import type { OptionRules } from "@mailkeep/core/options"
import { assertOptions, given, isFields, mustBe, optionsOf } from "@mailkeep/core/options"
import type { CapturedMessage, SmtpAuth, SmtpOptions, SmtpTransport, StubOptions } from "@mailkeep/smtp"
import { Context, Effect, Layer, Redacted } from "effect"
import type { OptionalFields } from "./OptionalFields.ts"

/** The options or the URL of the relay are wrong. The reason contains no value. */
export type SmtpOptionsInvalid = SmtpTransport.SmtpOptionsInvalid

/** A store for `openMail`. `sqlite` and `memory` make one. */
export interface StoreAdapter {
  /** The store as a layer of Effect. Opens nothing before the mail is opened. */
  readonly layer: Layer.Layer<MailStore, unknown>
}

/** A transport for `openMail`. `smtp` and `stub` make one. */
export interface TransportAdapter {
  /** The transport as a layer of Effect. Connects to nothing before the mail is opened. */
  readonly layer: Layer.Layer<Transport, unknown>
}

/** The stub transport, with the messages that it was given. */
export interface StubAdapter extends TransportAdapter {
  /** The messages that were handed over to the stub since the mail was opened, oldest first: the newest 10,000, and at most 64 MiB by default. */
  readonly captured: () => ReadonlyArray<CapturedMessage>
}

/** The file of the store, and the product's own connection to it. */
export interface SqliteStoreOptions {
  /** The path of the file. It is created if it does not exist; its folder must exist. */
  readonly filename: string
  /**
   * The product's own connection of better-sqlite3 to the same file. A call that waits for the store inside an open transaction of the connection
   * then fails at once instead of waiting 5 s. An opening does too. `within` names its connection too.
   */
  readonly connection?: { readonly inTransaction: boolean } | undefined
}

const needsPath = 'sqlite needs the path of the file, such as sqlite("mail.db").'

/** SQLite would create a file with the name `file:mail.db`. */
const needsPathNotUrl =
  'sqlite needs the path of the file, such as sqlite("mail.db"), and no URL. fileURLToPath of node:url makes a path of a file: URL.'

/** The rest of such a URL may contain a password, so no message shows it. */
const needsPathNotDatabase =
  'sqlite needs the path of the file, such as sqlite("mail.db"), and no URL. For the URL of a database, use postgres of mailkeep/postgres.'

const sqliteRules: OptionRules<SqliteStoreOptions> = {
  filename: (value) => {
    if (value instanceof URL || /^(?:file|sqlite):/.test(String(value))) return needsPathNotUrl
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(String(value))) return needsPathNotDatabase
    return typeof value === "string" && value !== "" ? undefined : needsPath
  },
  // The store looks of which driver it is when it opens. It ignores an object without statements, such as that of Drizzle.
  connection: mustBe(
    "a connection of better-sqlite3",
    (value) => isFields(value) && typeof value["prepare"] === "function"
  )
}

/** The bundle of a product cannot find the package, or contains its native module. */
const packageNotLoaded = (where: string, cause: unknown): StoreNotOpened =>
  new StoreNotOpened({
    reason: "unsupported_runtime",
    where,
    detail:
      "The package @mailkeep/sqlite cannot be loaded. Mark it as external in your bundler, because a bundle cannot open the store",
    cause
  })

/**
 * One SQLite file in WAL mode. Creates the file if it does not exist; its folder must exist. Each answer comes after a sync to the disk. Throws a
 * `TypeError` without a path, for an unknown option and for one of another form.
 *
 * @example
 * ```ts
 * import { openMail, sqlite, stub } from "mailkeep"
 *
 * const mail = await openMail({ store: sqlite("mail.db"), transport: stub() })
 * console.log((await mail.deliveries.list()).items.length) // 0
 * await mail.close()
 * ```
 */
export const sqlite = (file: string | SqliteStoreOptions): StoreAdapter => {
  // A program without types, or an environment variable that is not set.
  if (file === undefined || file === null) throw new TypeError(needsPath)
  if ((file as unknown) instanceof URL) throw new TypeError(needsPathNotUrl)
  const options = typeof file === "string" ? { filename: file } : file
  assertOptions(optionsOf(sqliteRules, { owner: "sqlite", required: ["filename"] }), options)
  return {
    layer: Layer.unwrap(
      Effect.map(
        Effect.tryPromise({
          try: () => import("@mailkeep/sqlite"),
          catch: (cause) => packageNotLoaded(options.filename, cause)
        }),
        ({ SqliteMailStore }) => SqliteMailStore.layer(options)
      )
    )
  }
}

/** A store in the memory of this process, for tests. Each opened mail begins with an empty store. */
export const memory = (): StoreAdapter => ({
  layer: Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@mailkeep/memory")),
      ({ MemoryMailStore }) => MemoryMailStore.layer
    )
  )
})

/** A user of the relay with a password. */
export interface SmtpPassword {
  /** The name of the user. */
  readonly user: string
  /** The password. */
  readonly password: string
  /** The mechanism. Default: `PLAIN` if the relay offers it, otherwise `LOGIN`. */
  readonly method?: "PLAIN" | "LOGIN" | undefined
}

/** A user of the relay with an OAuth 2.0 access token. */
export interface SmtpAccessToken {
  /** The name of the user, often an address. */
  readonly user: string
  /** Returns an access token. Runs for each new connection, and once more with `renew: true` when the relay refused the token. */
  readonly accessToken: (request: { readonly renew: boolean }) => Promise<string>
}

/** The relay, and how mail is handed over to it. */
export interface SmtpRelayOptions extends Omit<SmtpOptions, "auth"> {
  /** Default: no login. */
  readonly auth?: SmtpPassword | SmtpAccessToken | undefined
}

/** Hides the secrets, so that no log can show them. The transport refuses a value of another form. */
const redactedAuth = (auth: SmtpPassword | SmtpAccessToken): SmtpAuth => {
  if (typeof auth !== "object" || auth === null) return auth
  const { password, accessToken }: Partial<SmtpPassword & SmtpAccessToken> = auth
  const hidden = {
    ...auth,
    ...(password === undefined ? {} : { password: Redacted.make(password) }),
    ...(typeof accessToken === "function" && {
      accessToken: async (request: { readonly renew: boolean }) => Redacted.make(await accessToken(request))
    })
  }
  return hidden as SmtpAuth
}

const withRedactedAuth = <O extends OptionalFields<SmtpRelayOptions>>({ auth, ...options }: O) => ({
  ...options,
  ...(auth === undefined ? {} : { auth: redactedAuth(auth) })
})

/** A program without types, or an environment variable that is not set. Returns `undefined` for a URL and for options. */
const reasonAgainstRelay = (relay: unknown, options: unknown): string | undefined => {
  if (typeof options !== "object" || options === null) return "the second argument must be an object of options."
  if (relay === undefined) return "the URL is undefined. Is the environment variable set?"
  if (typeof relay === "string") return undefined
  const hasHost = typeof relay === "object" && relay !== null && "host" in relay && typeof relay.host === "string"
  return hasHost ? undefined : "give the URL of the relay, or options with its host."
}

/**
 * The transport that hands mail over to a relay by SMTP. Takes a URL such as `smtp://user:password@relay.example:587` with further options, or only
 * options. Options replace what the URL says. Without a URL, or with a wrong one, the mail does not open: `SmtpOptionsInvalid`.
 *
 * @example
 * ```ts
 * import { smtp } from "mailkeep"
 *
 * export const transport = smtp(process.env["SMTP_URL"], { pool: { connectionsMax: 20 } })
 * ```
 */
export const smtp = (
  relay: string | SmtpRelayOptions | undefined,
  options: OptionalFields<SmtpRelayOptions> = {}
): TransportAdapter => ({
  layer: Layer.unwrap(
    Effect.flatMap(
      Effect.promise(() => import("@mailkeep/smtp")),
      ({ SmtpTransport }) => {
        const reason = reasonAgainstRelay(relay, options)
        if (reason !== undefined) return Effect.fail(new SmtpTransport.SmtpOptionsInvalid({ reason }))
        return Effect.succeed(
          typeof relay === "string"
            ? SmtpTransport.layerFromUrl(relay, withRedactedAuth(given(options)))
            : SmtpTransport.layer(withRedactedAuth({ ...relay!, ...given(options) }))
        )
      }
    )
  )
})

/**
 * A transport that sends nothing. It keeps each message and answers by a script; by default it delivers.
 *
 * @example
 * ```ts
 * import { memory, openMail, stub } from "mailkeep"
 *
 * const transport = stub()
 * const mail = await openMail({ store: memory(), transport, domains: ["acme.example"], background: false })
 * await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
 * await mail.tick()
 * console.log(transport.captured()[0]?.message.subject) // Welcome
 * await mail.close()
 * ```
 */
export const stub = (options: StubOptions = {}): StubAdapter => {
  let captured: () => ReadonlyArray<CapturedMessage> = () => []
  const opened = Effect.map(
    Effect.promise(() => import("@mailkeep/smtp/stub")),
    ({ StubTransport }) => {
      const layer = StubTransport.layer(options)
      return Layer.tap(layer, (context) =>
        Effect.sync(() => {
          captured = Context.get(context, StubTransport.StubTransport).captured
        })
      )
    }
  )
  return { layer: Layer.unwrap(opened), captured: () => captured() }
}
