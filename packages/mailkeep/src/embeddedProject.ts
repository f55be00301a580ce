/**
 * The handle of one project over the services of the core. It holds no rule of its own.
 */
import type { ProjectId, SendRefusal, SendResult, StoreUnavailable } from "@mailkeep/core"
import { DeliveryLog, Feedback, Projects, Sending } from "@mailkeep/core"
import type { BatchItemResult, EmbeddedProject } from "@mailkeep/core/handle"
import { eachOfCursors, withOwnMessage } from "@mailkeep/core/handle/calls"
import { Effect, Result } from "effect"
import type { Run } from "./calls.ts"
import { callsOf } from "./calls.ts"
import { makeContacts, makeLists, makeProperties, makeSegments, makeSuppressions } from "./contactHandles.ts"
import { splitBatch, splitSend } from "./sendInput.ts"
import { makeApiKeys, makeDomains, makeTemplates, makeWebhooks } from "./settingHandles.ts"

/** The result of one message of a batch, in the form of `Promise.allSettled`. */
export const toBatchItem = (result: Result.Result<SendResult, SendRefusal | StoreUnavailable>): BatchItemResult =>
  Result.isSuccess(result)
    ? { status: "fulfilled", value: result.success }
    : { status: "rejected", reason: withOwnMessage(result.failure) }

type SendingMethods = Pick<EmbeddedProject, "send" | "sendBatch" | "plan" | "cancel" | "reschedule">

const makeSending = (run: Run, caller: ProjectId, from: string | undefined): SendingMethods => {
  const call = callsOf(run, Sending)
  return {
    send: (input, options) => call(({ send }) => send(caller, ...splitSend(input, from)), options),
    sendBatch: (input, options) =>
      call(
        ({ sendBatch }) =>
          Effect.map(sendBatch(caller, ...splitBatch(input, from)), (results) => results.map(toBatchItem)),
        options
      ),
    plan: (input, options) =>
      call(
        ({ plan }) =>
          Effect.map(plan(caller, ...splitSend(input, from)), (planned) => ({
            ...planned,
            refusal: withOwnMessage(planned.refusal)
          })),
        options
      ),
    cancel: (messageId, options) => call(({ cancel }) => cancel(caller, messageId), options),
    reschedule: (messageId, scheduledAt, options) =>
      call(({ reschedule }) => reschedule(caller, messageId, scheduledAt), options)
  }
}

const makeDeliveries = (run: Run, caller: ProjectId): EmbeddedProject["deliveries"] => {
  const call = callsOf(run, DeliveryLog)
  const list: EmbeddedProject["deliveries"]["list"] = (input, options) =>
    call(({ list }) => list(caller, input), options)
  return {
    list,
    get: (deliveryId, options) => call(({ get }) => get(caller, deliveryId), options),
    explain: (deliveryId, options) => call(({ explain }) => explain(caller, deliveryId), options),
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter)
  }
}

/** The handle of a project. `from` is its default sender. */
export const makeEmbeddedProject = (run: Run, projectId: ProjectId, from?: string): EmbeddedProject => {
  const callDeliveryLog = callsOf(run, DeliveryLog)
  const callProjects = callsOf(run, Projects)
  return {
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
      list: (input, options) => callDeliveryLog(({ listEvents }) => listEvents(projectId, input), options)
    },
    feedback: {
      report: (deliveryId, report, options) =>
        callsOf(run, Feedback)((feedback) => feedback.report(projectId, deliveryId, report), options)
    },
    usage: (input, options) => callProjects(({ usage }) => usage(projectId, input), options),
    usageAudit: (options) => callDeliveryLog(({ usageAudit }) => usageAudit(projectId), options),
    updateSettings: (input, options) => callProjects(({ update }) => update(projectId, input), options)
  }
}
