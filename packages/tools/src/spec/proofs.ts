/**
 * Short names for the files that statements point to.
 */
import type { Statement } from "./Statement.ts"

const test = (file: string) => (title: string) => ({ file: `packages/${file}.test.ts`, title })

export const wire = test("http/test/wire")
export const wireMessages = test("http/test/messages")
export const wireLogs = test("http/test/logs")
export const wireDocs = test("http/test/docs")
export const jsonBounds = test("http/test/jsonBounds")
export const everyResponse = test("http/test/everyResponse")
export const refusals = test("http/test/refusals")
export const sending = test("core/test/service/Sending")
export const contacts = test("core/test/service/Contacts")
export const log = test("core/test/service/DeliveryLog")
export const access = test("core/test/service/Access")
export const dispatcher = test("core/test/service/Dispatcher")
export const handOffs = test("core/test/service/HandOffs")
export const machine = test("core/test/domain/DeliveryMachine")
export const subscription = test("core/test/domain/SubscriptionTable")
export const sendRequest = test("core/test/domain/SendRequest")
export const contactRequest = test("core/test/domain/ContactRequest")
export const address = test("core/test/domain/Address")
export const instant = test("core/test/domain/Instant")
export const bucket = test("core/test/domain/TokenBucket")
export const apiKey = test("core/test/domain/ApiKey")
export const headerField = test("core/test/domain/HeaderField")
export const suppression = test("core/test/domain/Suppression")
export const rendering = test("core/test/decide/renderTemplate")
export const mustache = test("core/test/domain/Mustache")
export const previewText = test("core/test/decide/previewText")
export const templateDecisions = test("core/test/decide/template")
export const templates = test("core/test/service/Templates")
export const contactGroups = test("core/test/service/contactGroups")
export const contactFiles = test("core/test/service/ContactFiles")
export const relay = test("core/test/service/EventRelay")
export const domains = test("core/test/service/Domains")
export const domainBounds = test("core/test/service/domainBounds")
export const properties = test("core/test/service/properties")
export const hostileInput = test("core/test/service/hostileInput")
export const contactFile = test("core/test/domain/ContactFile")
export const checkedTransport = test("core/test/internal/checkedTransport")
export const wireScope = test("http/test/domainScope")
export const commandOutput = test("cli/test/output")
export const privateFolder = test("cli/test/privateFolder")
export const model = test("core/test/service/model")
export const suppressionRaces = test("core/test/service/suppressionRaces")
export const wireGroups = test("http/test/contactGroups")
export const wireTemplates = test("http/test/templates")
export const wireDomains = test("http/test/domains")
export const wireWebhooks = test("http/test/webhooks")
export const failures = test("http/test/failures")
export const openApi = test("http/test/openApi")
export const slowClients = test("http/test/slowClients")
export const hostileRequests = test("http/test/hostileRequests")
export const serverShutdown = test("http/test/shutdown")
export const compression = test("http/test/compression")
export const commandShutdown = test("cli/test/shutdown")
export const signing = test("core/test/internal/webhookSigning")
export const verified = test("webhooks/test/standardWebhooks")
export const openAddress = test("webhooks/test/addresses")
export const answers = test("webhooks/test/answers")
export const webhookTarget = test("core/test/domain/WebhookTarget")
export const webhookTests = test("core/test/service/webhookTests")
export const storm = test("webhooks/test/storm")
export const command = test("cli/test/command")
export const commandRecords = test("cli/test/records")

const domain = (name: string) => `packages/core/src/domain/${name}.ts`
const decide = (name: string) => `packages/core/src/decide/${name}.ts`
const service = (name: string) => `packages/core/src/service/${name}.ts`
const api = (name: string) => `packages/http/src/api/${name}.ts`
const server = (name: string) => `packages/http/src/server/${name}.ts`
const node = (name: string) => `packages/http/src/node/${name}.ts`

const handler = (name: string) => `packages/http/src/server/handlers/${name}.ts`

export const at = { domain, decide, service, api, server, node, handler }

type Proof = ReturnType<typeof wire>
export type Row = readonly [says: string, lives: ReadonlyArray<string>, heldBy: ReadonlyArray<Proof>, decision?: string]

const numbered =
  (letter: string) =>
  (number: number, title: string, rows: ReadonlyArray<Row>): ReadonlyArray<Statement> =>
    rows.map(([says, lives, heldBy, decision], index) => ({
      id: `${letter}${number}.${index + 1}`,
      section: title,
      says,
      lives,
      heldBy,
      ...(decision === undefined ? {} : { decision })
    }))

/** The statements of one section of the interface, numbered from 1. */
export const section = numbered("S")

/** The points of one section of what is settled beyond the interface, numbered from 1. */
export const settled = numbered("W")
