/**
 * The interface over HTTP: `MailServer` answers requests from a core, and `MailApi` describes the endpoints.
 *
 * @example
 * ```ts
 * import { MailCore, PlanSource } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { MailServer } from "@mailkeep/http"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { StubTransport } from "@mailkeep/smtp"
 * import { Layer } from "effect"
 *
 * const adapters = Layer.mergeAll(MemoryMailStore.layer, StubTransport.layer(), PlanSource.layerFixed({}), NodeCrypto.layer)
 * const { handler, dispose } = MailServer.fetchHandler(Layer.provide(MailCore.layer, adapters))
 * console.log((await handler(new Request("https://acme.example/openapi.json"))).status) // 200
 * await dispose()
 * ```
 */
export { MailApi } from "./api/MailApi.ts"
export * as MailServer from "./server/MailServer.ts"
export { metricsText } from "./server/metricsText.ts"
