/**
 * Short names for the tests and source files that statements cite.
 */
import { files } from "../workspace.ts"
import type { Proof, Statement } from "./Statement.ts"

/** Cites a test of a file by its title. */
export const testIn =
  (file: string) =>
  (title: string): Proof => ({ kind: "test", file: `packages/${file}.test.ts`, title })

export const wire = testIn("http/test/wire")
export const wireContacts = testIn("http/test/contacts")
export const wireDeliveryLog = testIn("http/test/deliveryLog")
export const wireMessages = testIn("http/test/messages")
export const wireLogs = testIn("http/test/logs")
export const wireDocs = testIn("http/test/docs")
export const jsonBounds = testIn("http/test/jsonBounds")
export const everyResponse = testIn("http/test/everyResponse")
export const refusals = testIn("http/test/refusals")
export const wireBatch = testIn("http/test/batch")
export const sendBatch = testIn("core/test/service/message/sendBatch")
export const batchItem = testIn("core/test/domain/message/SendBatch")
export const wireAttachments = testIn("http/test/attachments")
export const jsonStrings = testIn("http/test/jsonStrings")
export const attachment = testIn("core/test/domain/message/Attachment")
export const attachments = testIn("core/test/service/message/attachments")
export const sending = testIn("core/test/service/message/Sending")
export const sendingLimits = testIn("core/test/service/message/sendingLimits")
export const scheduledSending = testIn("core/test/service/message/scheduledSending")
export const contacts = testIn("core/test/service/contact/Contacts")
export const contactStatus = testIn("core/test/service/contact/contactStatus")
export const contactSearch = testIn("core/test/service/contact/contactSearch")
export const log = testIn("core/test/service/delivery/DeliveryLog")
export const access = testIn("core/test/service/access/Access")
export const dispatcher = testIn("core/test/service/delivery/Dispatcher")
export const dispatcherRun = testIn("core/test/service/delivery/dispatcherRun")
export const personalData = testIn("core/test/service/observability/personalData")
export const requestSpan = testIn("http/test/requestSpan")
export const tracing = testIn("cli/test/tracing")
export const handOffs = testIn("core/test/service/delivery/HandOffs")
export const handOffRetries = testIn("core/test/service/delivery/handOffRetries")
export const handOffFinalizing = testIn("core/test/service/delivery/handOffFinalizing")
export const handedOverHeaders = testIn("core/test/service/delivery/handedOverHeaders")
export const machine = testIn("core/test/domain/delivery/DeliveryMachine")
export const emailStatus = testIn("core/test/domain/contact/EmailStatusTable")
export const sendRequest = testIn("core/test/domain/message/SendRequest")
export const sendInput = testIn("core/test/domain/message/SendInput")
export const contactRequest = testIn("core/test/domain/contact/ContactRequest")
export const address = testIn("core/test/domain/message/Address")
export const expressions = testIn("tools/test/regularExpressions")
export const instant = testIn("core/test/domain/value/Instant")
export const bucket = testIn("core/test/domain/plan/TokenBucket")
export const apiKey = testIn("core/test/domain/access/ApiKey")
export const headerField = testIn("core/test/domain/message/HeaderField")
export const suppression = testIn("core/test/domain/contact/Suppression")
export const rendering = testIn("core/test/decide/template/renderTemplate")
export const mustache = testIn("core/test/domain/template/Mustache")
export const previewText = testIn("core/test/decide/template/previewText")
export const templateDecisions = testIn("core/test/decide/template/template")
export const templateContent = testIn("core/test/decide/template/templateContent")
export const templates = testIn("core/test/service/template/Templates")
export const contactGroups = testIn("core/test/service/contact/contactGroups")
export const propertyValues = testIn("core/test/service/contact/propertyValues")
export const suppressionList = testIn("core/test/service/contact/suppressionList")
export const contactFiles = testIn("core/test/service/contact/ContactFiles")
export const eventSender = testIn("core/test/service/event/EventSender")
export const eventRetries = testIn("core/test/service/event/eventRetries")
export const eventSignatures = testIn("core/test/service/event/eventSignatures")
export const subscriptions = testIn("core/test/service/event/subscriptions")
export const domains = testIn("core/test/service/domain-name/Domains")
export const domainChecks = testIn("core/test/service/domain-name/domainChecks")
export const domainVerification = testIn("core/test/service/domain-name/domainVerification")
export const domainBounds = testIn("core/test/service/domain-name/domainBounds")
export const properties = testIn("core/test/service/contact/properties")
export const hostileInput = testIn("core/test/service/message/hostileInput")
export const contactFile = testIn("core/test/domain/contact/ContactFile")
export const checkedTransport = testIn("core/test/internal/delivery/checkedTransport")
export const wireScope = testIn("http/test/domainScope")
export const wireOrder = testIn("http/test/refusalOrder")
export const commandOutput = testIn("cli/test/output")
export const privateFolder = testIn("cli/test/privateFolder")
export const model = testIn("core/test/service/message/model")
export const suppressionRaces = testIn("core/test/service/contact/suppressionRaces")
export const wireGroups = testIn("http/test/contactGroups")
export const wireTemplates = testIn("http/test/templates")
export const wireTemplateSends = testIn("http/test/templateSends")
export const wireTemplatePages = testIn("http/test/templatePages")
export const wireDomains = testIn("http/test/domains")
export const wireWebhooks = testIn("http/test/webhooks")
export const failures = testIn("http/test/failures")
export const openApi = testIn("http/test/openApi")
export const slowClients = testIn("http/test/slowClients")
export const hostileRequests = testIn("http/test/hostileRequests")
export const serverShutdown = testIn("http/test/shutdown")
export const compression = testIn("http/test/compression")
export const commandShutdown = testIn("cli/test/shutdown")
export const signing = testIn("core/test/internal/webhook/webhookSigning")
export const verified = testIn("webhooks/test/standardWebhooks")
export const openAddress = testIn("webhooks/test/addresses")
export const answers = testIn("webhooks/test/answers")
export const webhookUrl = testIn("core/test/domain/webhook/WebhookUrl")
export const webhookTests = testIn("core/test/service/webhook/webhookTests")
export const storm = testIn("webhooks/test/storm")
export const feedback = testIn("core/test/service/delivery/Feedback")
export const reportSequences = testIn("core/test/decide/delivery/reportSequences")
export const bounceListener = testIn("inbound/test/bounces/BounceListener")
export const unsubscribeLinks = testIn("core/test/service/contact/UnsubscribeLinks")
export const unsubscribePage = testIn("http/test/unsubscribePage")
export const retention = testIn("core/test/service/store/retention")
export const relayLimit = testIn("core/test/internal/delivery/relayLimitState")
export const sharedRateLimiter = testIn("postgres/test/sharedRateLimiter")
export const command = testIn("cli/test/command")
export const commandRecords = testIn("cli/test/records")

/** Finds a source of a layer by its name, in any of the layer's folders. */
const sourceIn = (layer: string) => {
  const sources = files(`packages/core/src/${layer}/**/*.ts`)
  return (name: string): string => {
    const found = sources.filter((file) => file.endsWith(`/${name}.ts`))
    if (found.length !== 1) throw new Error(`packages/core/src/${layer} has ${found.length} files named ${name}.ts`)
    return found[0]!
  }
}
const domain = sourceIn("domain")
const decide = sourceIn("decide")
const service = sourceIn("service")
const internal = sourceIn("internal")
const api = (name: string) => `packages/http/src/api/${name}.ts`
const server = (name: string) => `packages/http/src/server/${name}.ts`
const node = (name: string) => `packages/http/src/node/${name}.ts`

const handler = (name: string) => `packages/http/src/server/handlers/${name}.ts`

export const at = { domain, decide, service, internal, api, server, node, handler }

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

/** The statements of one section of the specification, numbered from 1. */
export const section = numbered("S")

/** The clarifications of one section, numbered from 1. */
export const clarified = numbered("W")
