/**
 * Short names for the tests and source files that statements cite.
 */
import type { Statement } from "./Statement.ts"

const testIn = (file: string) => (title: string) => ({ file: `packages/${file}.test.ts`, title })

export const wire = testIn("http/test/wire")
export const wireMessages = testIn("http/test/messages")
export const wireLogs = testIn("http/test/logs")
export const wireDocs = testIn("http/test/docs")
export const jsonBounds = testIn("http/test/jsonBounds")
export const everyResponse = testIn("http/test/everyResponse")
export const refusals = testIn("http/test/refusals")
export const sending = testIn("core/test/service/Sending")
export const contacts = testIn("core/test/service/Contacts")
export const log = testIn("core/test/service/DeliveryLog")
export const access = testIn("core/test/service/Access")
export const dispatcher = testIn("core/test/service/Dispatcher")
export const handOffs = testIn("core/test/service/HandOffs")
export const machine = testIn("core/test/domain/DeliveryMachine")
export const subscription = testIn("core/test/domain/SubscriptionTable")
export const sendRequest = testIn("core/test/domain/SendRequest")
export const contactRequest = testIn("core/test/domain/ContactRequest")
export const address = testIn("core/test/domain/Address")
export const instant = testIn("core/test/domain/Instant")
export const bucket = testIn("core/test/domain/TokenBucket")
export const apiKey = testIn("core/test/domain/ApiKey")
export const headerField = testIn("core/test/domain/HeaderField")
export const suppression = testIn("core/test/domain/Suppression")
export const rendering = testIn("core/test/decide/renderTemplate")
export const mustache = testIn("core/test/domain/Mustache")
export const previewText = testIn("core/test/decide/previewText")
export const templateDecisions = testIn("core/test/decide/template")
export const templates = testIn("core/test/service/Templates")
export const contactGroups = testIn("core/test/service/contactGroups")
export const contactFiles = testIn("core/test/service/ContactFiles")
export const relay = testIn("core/test/service/EventRelay")
export const domains = testIn("core/test/service/Domains")
export const domainBounds = testIn("core/test/service/domainBounds")
export const properties = testIn("core/test/service/properties")
export const hostileInput = testIn("core/test/service/hostileInput")
export const contactFile = testIn("core/test/domain/ContactFile")
export const checkedTransport = testIn("core/test/internal/checkedTransport")
export const wireScope = testIn("http/test/domainScope")
export const commandOutput = testIn("cli/test/output")
export const privateFolder = testIn("cli/test/privateFolder")
export const model = testIn("core/test/service/model")
export const suppressionRaces = testIn("core/test/service/suppressionRaces")
export const wireGroups = testIn("http/test/contactGroups")
export const wireTemplates = testIn("http/test/templates")
export const wireDomains = testIn("http/test/domains")
export const wireWebhooks = testIn("http/test/webhooks")
export const failures = testIn("http/test/failures")
export const openApi = testIn("http/test/openApi")
export const slowClients = testIn("http/test/slowClients")
export const hostileRequests = testIn("http/test/hostileRequests")
export const serverShutdown = testIn("http/test/shutdown")
export const compression = testIn("http/test/compression")
export const commandShutdown = testIn("cli/test/shutdown")
export const signing = testIn("core/test/internal/webhookSigning")
export const verified = testIn("webhooks/test/standardWebhooks")
export const openAddress = testIn("webhooks/test/addresses")
export const answers = testIn("webhooks/test/answers")
export const webhookTarget = testIn("core/test/domain/WebhookTarget")
export const webhookTests = testIn("core/test/service/webhookTests")
export const storm = testIn("webhooks/test/storm")
export const command = testIn("cli/test/command")
export const commandRecords = testIn("cli/test/records")

const domain = (name: string) => `packages/core/src/domain/${name}.ts`
const decide = (name: string) => `packages/core/src/decide/${name}.ts`
const service = (name: string) => `packages/core/src/service/${name}.ts`
const api = (name: string) => `packages/http/src/api/${name}.ts`
const server = (name: string) => `packages/http/src/server/${name}.ts`
const node = (name: string) => `packages/http/src/node/${name}.ts`

const handler = (name: string) => `packages/http/src/server/handlers/${name}.ts`

export const at = { domain, decide, service, api, server, node, handler }

type Proof = ReturnType<typeof wire>
export type Row = readonly [
  statement: string,
  sources: ReadonlyArray<string>,
  proofs: ReadonlyArray<Proof>,
  decision?: string
]

const numbered =
  (letter: string) =>
  (number: number, title: string, rows: ReadonlyArray<Row>): ReadonlyArray<Statement> =>
    rows.map(([statement, sources, proofs, decision], index) => ({
      id: `${letter}${number}.${index + 1}`,
      section: title,
      statement,
      sources,
      proofs,
      ...(decision === undefined ? {} : { decision })
    }))

/** The statements of one section of the interface, numbered from 1. */
export const section = numbered("S")

/** The clarifications of one section, numbered from 1. */
export const clarified = numbered("W")
