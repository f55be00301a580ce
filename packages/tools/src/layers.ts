/**
 * The layer rules: each layer, the layers that it may import, and what it may not use. From this file come the check of every import
 * (`layerRules.ts`), the overrides of `.oxlintrc.json` and the table in `docs/architecture.md`.
 */

/** Something that a layer may not use. A module pattern ends with `*` when it means every module that begins so. One with `!` allows a module again. */
export interface Restriction {
  /** For the table of the architecture page. */
  readonly says: string
  /** For the complaint about a forbidden use. */
  readonly because: string
  readonly modules?: ReadonlyArray<string>
  /** Names that may not be imported from "effect". */
  readonly effectNames?: ReadonlyArray<string>
  /** Only modules of Effect that are marked stable may be imported. */
  readonly stableEffect?: true
  readonly globals?: ReadonlyArray<string>
  readonly properties?: ReadonlyArray<readonly [object: string, property: string]>
}

const restrictions = {
  noEffectRuntime: {
    says: "no Effect runtime",
    because: "The domain and the decisions are pure.",
    effectNames: ["Effect", "Context", "Layer", "Clock", "Fiber", "Ref", "Deferred", "Stream", "Schedule"]
  },
  noPromise: {
    says: "no promise, process or network",
    because: "The domain and the decisions are pure.",
    globals: ["Promise", "fetch", "process", "crypto", "performance"]
  },
  stableEffect: {
    says: "only stable Effect",
    because: 'The core uses "effect" alone, and only what is marked stable.',
    // The failures import these two directly, because a client over HTTP loads nothing else of Effect.
    modules: ["effect/*", "!effect/Context", "!effect/Data"],
    stableEffect: true
  },
  noNode: {
    says: "no Node",
    because: "This layer needs to run without Node.",
    modules: ["node:*", "@effect/platform-node*"]
  },
  noEffect: {
    says: "no Effect",
    because: "A client over HTTP is small, and loads Effect only for a failure.",
    modules: ["effect", "effect/*"]
  },
  noClock: {
    says: "no clock",
    because: "The time is passed in, or comes from Effect's Clock.",
    properties: [["Date", "now"]]
  },
  noRandom: {
    says: "no random",
    because: "Ids and jitter are passed in; randomness is the port Crypto.",
    properties: [["Math", "random"]]
  }
} as const satisfies Readonly<Record<string, Restriction>>
type RestrictionName = keyof typeof restrictions

interface Rules {
  /** The other layers whose files it may import. */
  readonly imports: ReadonlyArray<string>
  readonly restrictions?: ReadonlyArray<RestrictionName>
  /** What the layer is. */
  readonly is: string
}

const pure = ["noEffectRuntime", "noPromise", "stableEffect", "noNode", "noClock", "noRandom"] as const
const portable = ["stableEffect", "noNode", "noClock", "noRandom"] as const

/** What an adapter may import: the ports, the language of the stores, and the rules for options. */
const adapter = ["core/adapter", "core/options"] as const

/** The core, its ports on Node, and the adapters that the tests and measurements of these packages use. */
const coreAndAdapters = [
  "core",
  "core/adapter",
  "core/binding",
  "core/node",
  "memory",
  "sqlite",
  "postgres",
  "smtp"
] as const

/**
 * A layer is a package, a folder of a package's sources or one file there. A file belongs to the layer with the longest name that matches its
 * path. An entry of a package, such as `@mailkeep/core/node/csv`, belongs to the layer with the longest name that matches the entry.
 */
const layers = {
  "core/domain": { is: "values and total functions", imports: [], restrictions: pure },
  "core/decide": { is: "one decision per command", imports: ["core/domain"], restrictions: pure },
  "core/port": { is: "interfaces to the outside", imports: ["core/domain"], restrictions: portable },
  "core/telemetry": {
    is: "metrics and logs that adapters and bindings write too",
    imports: ["core/domain", "core/port"],
    restrictions: portable
  },
  "core/internal": {
    is: "what services share: the commit, the checked ports, the loading of facts, the loops of the workers",
    imports: ["core/domain", "core/decide", "core/port", "core/telemetry"],
    restrictions: portable
  },
  "core/service": {
    is: "use cases",
    imports: ["core/domain", "core/decide", "core/port", "core/telemetry", "core/internal"],
    restrictions: portable
  },
  "core/node": {
    is: "implementations of ports that need Node",
    imports: ["core/port"],
    restrictions: ["stableEffect"]
  },
  core: {
    is: "the entry of an embedding product",
    imports: ["core/domain", "core/decide", "core/port", "core/service", "core/handle"],
    restrictions: portable
  },
  "core/adapter": {
    is: "the entry of an adapter",
    imports: ["core/domain", "core/port", "core/telemetry"],
    restrictions: portable
  },
  "core/binding": {
    is: "the entry of a binding",
    imports: ["core/domain", "core/port", "core/telemetry"],
    restrictions: portable
  },
  "core/failures": {
    is: "the failures, for a client",
    imports: ["core/domain", "core/port"],
    restrictions: portable
  },
  "core/options": { is: "rules for options", imports: ["core/domain"], restrictions: pure },
  "core/handle": {
    is: "the interface of one project with promises",
    imports: ["core/domain", "core/decide", "core/port", "core/service"],
    restrictions: portable
  },
  "core/move": {
    is: "the entry that moves records between stores",
    imports: ["core/domain", "core/port", "core/service"],
    restrictions: portable
  },
  memory: { is: "adapter: the reference store", imports: adapter, restrictions: ["noNode", "noClock"] },
  sqlite: { is: "adapter: a store", imports: adapter, restrictions: ["noClock"] },
  postgres: { is: "adapter: a store", imports: adapter, restrictions: ["noClock"] },
  smtp: { is: "adapter: transports", imports: adapter, restrictions: ["noClock"] },
  webhooks: { is: "adapter: an event sink", imports: adapter, restrictions: ["noClock"] },
  conformance: { is: "the laws of the ports", imports: ["core/adapter", "memory"] },
  "http/api": { is: "the schemas of the API", imports: ["core/binding"], restrictions: ["noNode"] },
  "http/mailbox": {
    is: "the development mailbox",
    imports: ["core", "core/binding", "core/options"],
    restrictions: ["noNode", "noClock", "noRandom"]
  },
  "http/server": {
    is: "the handlers of the API",
    imports: ["http/api", "http/mailbox", "core", "core/binding", "core/options"],
    restrictions: ["noNode"]
  },
  "http/node": {
    is: "the server on Node",
    imports: ["http/server", "http/mailbox", "core", "core/binding", "core/options"]
  },
  "http/client": {
    is: "the client of the API with promises",
    imports: ["http/api", "core", "core/failures", "core/handle", "core/options"],
    restrictions: ["noNode", "noEffect"]
  },
  "http/client/effect": {
    is: "the client of the API with Effect",
    imports: ["http/client", "core/handle"],
    restrictions: ["noNode"]
  },
  http: { is: "the entry of the HTTP interface", imports: ["http/api", "http/server"], restrictions: ["noNode"] },
  "inbound/mime": { is: "the reader of header fields and encodings", imports: [], restrictions: pure },
  "inbound/reports": {
    is: "the reader of bounces and complaints",
    imports: ["inbound/mime", "core/binding"],
    restrictions: pure
  },
  inbound: {
    is: "the SMTP listeners, and the reader of returned mail",
    imports: ["inbound/mime", "inbound/reports", "core", "core/binding", "core/options"],
    restrictions: ["noClock"]
  },
  mailkeep: {
    is: "the package of most products: promises, with the adapters of Mailkeep",
    imports: [
      "core",
      "core/adapter",
      "core/binding",
      "core/handle",
      "core/node",
      "core/options",
      "memory",
      "postgres",
      "sqlite",
      "smtp",
      "webhooks"
    ],
    restrictions: ["noClock", "noRandom"]
  },
  cli: {
    is: "the command",
    imports: [
      "core",
      "core/binding",
      "core/move",
      "core/node",
      "core/options",
      "postgres",
      "sqlite",
      "smtp",
      "inbound",
      "webhooks",
      "http",
      "http/node"
    ]
  },
  testing: {
    is: "the test kit of products",
    imports: ["core", "core/adapter", "core/binding", "core/handle", "core/options", "mailkeep", "smtp"],
    restrictions: ["noClock", "noRandom"]
  },
  "test-support": {
    is: "the core over each store, for the tests of these packages",
    imports: coreAndAdapters
  },
  "fault-tests": {
    is: "the fault tests",
    imports: [...coreAndAdapters, "core/move", "inbound", "http/node", "test-support", "mailkeep"]
  },
  bench: {
    is: "the measurements",
    imports: [...coreAndAdapters, "core/move", "webhooks", "mailkeep", "http", "http/node", "test-support"]
  },
  "browser-tests": {
    is: "the tests of pages in a browser",
    imports: ["core", "core/node", "memory", "smtp", "http/node"]
  },
  site: { is: "the documentation site", imports: [] },
  tools: {
    is: "the generators and checks",
    imports: [...coreAndAdapters, "webhooks", "http/server", "conformance", "test-support"]
  }
} as const satisfies Readonly<Record<string, Rules>>
export type LayerName = keyof typeof layers

export const layerNames = Object.keys(layers) as ReadonlyArray<LayerName>

export const rulesOf = (layer: LayerName): Rules => layers[layer]

export const restrictionsOf = (layer: LayerName): ReadonlyArray<Restriction> =>
  (rulesOf(layer).restrictions ?? []).map((name) => restrictions[name])

/** The layers that implement a port. */
export const adapters: ReadonlyArray<LayerName> = layerNames.filter((layer) => rulesOf(layer).imports === adapter)

/** The files of the core that may call `commit` of a store. Every use case writes by the function `commit`. */
export const commitCallers: ReadonlyArray<string> = [
  "packages/core/src/internal/store/commit.ts",
  "packages/core/src/internal/store/checkedStore.ts",
  "packages/core/src/internal/store/measuredStore.ts",
  "packages/core/src/internal/event/notifyOnEvents.ts",
  "packages/core/src/port/PromiseStore.ts",
  "packages/core/src/port/wrapStore.ts"
]

const byLength = layerNames.toSorted((a, b) => b.length - a.length)

/** `core/domain` for `core/domain/value/Id`. */
const layerNamed = (name: string): LayerName | undefined =>
  byLength.find((layer) => name === layer || name.startsWith(`${layer}/`))

/** `packages/core/src/domain/value/Id.ts` is in `core/domain`. A test is in the layer of its package. */
export const layerOf = (file: string): LayerName | undefined => {
  const [, folder, path] = /^packages\/([^/]+)\/(?:src\/)?(.+?)\.ts$/.exec(file) ?? []
  return path === undefined ? undefined : layerNamed(`${folder}/${path}`)
}

/** `@mailkeep/core/node/csv` is in `core/node`, and `mailkeep` is in `mailkeep`. */
export const layerOfEntry = (entry: string): LayerName | undefined => layerNamed(entry.replace(/^@mailkeep\//, ""))
