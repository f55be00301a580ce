/**
 * The handle of one project over the services of the core. It holds no rule of its own.
 */
import type { ProjectId, SendRefusal, SendResult, StoreUnavailable } from "@mailkeep/core"
import { DeliveryLog, Feedback, Projects, Sending } from "@mailkeep/core"
import type { BatchItemResult, EmbeddedProject } from "@mailkeep/core/handle"
import { eachOfCursors } from "@mailkeep/core/handle"
import { Effect, Result } from "effect"
import type { Run } from "./calls.ts"
import { makeContacts, makeLists, makeProperties, makeSegments, makeSuppressions } from "./contactHandles.ts"
import { splitBatch, splitSend } from "./sendInput.ts"
import { makeApiKeys, makeDomains, makeTemplates, makeWebhooks } from "./settingHandles.ts"

/** The result of one message of a batch, in the form of `Promise.allSettled`. */
export const toBatchItem = (result: Result.Result<SendResult, SendRefusal | StoreUnavailable>): BatchItemResult =>
  Result.isSuccess(result)
    ? { status: "fulfilled", value: result.success }
    : { status: "rejected", reason: result.failure }

type SendingMethods = Pick<EmbeddedProject, "send" | "sendBatch" | "plan" | "cancel" | "reschedule">

const makeSending = (run: Run, caller: ProjectId, from: string | undefined): SendingMethods => ({
  send: (input, options) =>
    run(
      Sending.use(({ send }) => send(caller, ...splitSend(input, from))),
      options
    ),
  sendBatch: (input, options) =>
    run(
      Effect.map(
        Sending.use(({ sendBatch }) => sendBatch(caller, ...splitBatch(input, from))),
        (results) => results.map(toBatchItem)
      ),
      options
    ),
  plan: (input, options) =>
    run(
      Sending.use(({ plan }) => plan(caller, ...splitSend(input, from))),
      options
    ),
  cancel: (messageId, options) =>
    run(
      Sending.use(({ cancel }) => cancel(caller, messageId)),
      options
    ),
  reschedule: (messageId, scheduledAt, options) =>
    run(
      Sending.use(({ reschedule }) => reschedule(caller, messageId, scheduledAt)),
      options
    )
})

const makeDeliveries = (run: Run, caller: ProjectId): EmbeddedProject["deliveries"] => {
  const list: EmbeddedProject["deliveries"]["list"] = (input, options) =>
    run(
      DeliveryLog.use(({ list }) => list(caller, input)),
      options
    )
  return {
    list,
    get: (deliveryId, options) =>
      run(
        DeliveryLog.use(({ get }) => get(caller, deliveryId)),
        options
      ),
    explain: (deliveryId, options) =>
      run(
        DeliveryLog.use(({ explain }) => explain(caller, deliveryId)),
        options
      ),
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter)
  }
}

/** The handle of a project. `from` is its default sender. */
export const makeEmbeddedProject = (run: Run, projectId: ProjectId, from?: string): EmbeddedProject => ({
  projectId,
  ...makeSending(run, projectId, from),
  deliveries: makeDeliveries(run, projectId),
  contacts: makeContacts(run, projectId),
  lists: makeLists(run, projectId),
  properties: makeProperties(run, projectId),
  segments: makeSegments(run, projectId),
  suppressions: makeSuppressions(run, projectId),
  templates: makeTemplates(run, projectId),
  domains: makeDomains(run, projectId),
  webhooks: makeWebhooks(run, projectId),
  apiKeys: makeApiKeys(run, projectId),
  events: {
    list: (input, options) =>
      run(
        DeliveryLog.use(({ listEvents }) => listEvents(projectId, input)),
        options
      )
  },
  feedback: {
    report: (deliveryId, report, options) =>
      run(
        Feedback.use((feedback) => feedback.report(projectId, deliveryId, report)),
        options
      )
  },
  usage: (options) =>
    run(
      DeliveryLog.use(({ usageAudit }) => usageAudit(projectId)),
      options
    ),
  updateSettings: (input, options) =>
    run(
      Projects.use(({ update }) => update(projectId, input)),
      options
    )
})
