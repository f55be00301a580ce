/**
 * A server with templates: the calls that create, publish and change a template, and those that send from it.
 */
import type { StoreUnderTest } from "@mailkeep/test-support"
import { sendInput } from "@mailkeep/test-support"
import { expect } from "vitest"
import { openHttpTestServer, otherProject, postSend } from "./httpTestServer.ts"

export const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

export const variables = { variables: [{ key: "order", type: "string", required: true }] }

export type TemplatesOverHttp = Awaited<ReturnType<typeof openTemplates>>

export const openTemplates = async (store: StoreUnderTest) => {
  const wire = await openHttpTestServer(store)
  const post = (path: string, body?: unknown) => wire.call(path, { method: "POST", body })
  const create = async (change = {}) =>
    (
      await post("/emails/templates", {
        name: "Receipt",
        subject: "Order {{order}}",
        text: "Thanks",
        ...variables,
        ...change
      })
    ).body.data
  const bySend = (templateId: string, templateVariables = {}, change = {}) => {
    const { subject: _s, text: _t, ...rest } = sendInput()
    return postSend(wire, { ...rest, templateId, templateVariables, ...change })
  }
  return {
    wire,
    /** An API key of another project. */
    other: await otherProject(wire),
    post,
    patch: (id: string, body: unknown) => wire.call(`/emails/templates/${id}`, { method: "PATCH", body }),
    create,
    published: async (change = {}) => {
      const { id } = await create(change)
      return (await post(`/emails/templates/${id}/publish`)).body.data
    },
    bySend,
    detailOf: async (answer: Awaited<ReturnType<typeof bySend>>) =>
      (await wire.call(`/emails/logs/${answer.body.data.deliveryIds[0]}`)).body,
    close: () => wire.close()
  }
}
