/**
 * The parts of the interface that a product can mount. Each endpoint belongs to one part.
 */
import { HttpApi } from "effect/http-api"
import { MailApi } from "../api/MailApi.ts"

/** The groups of endpoints of each part. */
const groupsOfParts = {
  send: ["messages"],
  logs: ["logs"],
  contacts: ["contacts", "properties", "lists", "segments"],
  suppressions: ["suppressions"],
  templates: ["templates"],
  webhooks: ["webhooks"],
  domains: ["domains"]
} as const satisfies Readonly<Record<string, ReadonlyArray<keyof (typeof MailApi)["groups"]>>>

/** A part of the interface. `contacts` includes lists, segments and custom properties; `send` includes canceling and rescheduling. */
export type EndpointPart = keyof typeof groupsOfParts

/** Every part of the interface. */
export const endpointParts = Object.keys(groupsOfParts) as ReadonlyArray<EndpointPart>

/** Whether the interface has this part. */
export const isEndpointPart = (name: unknown): name is EndpointPart =>
  typeof name === "string" && Object.hasOwn(groupsOfParts, name)

/** Some endpoints of `MailApi`, with its description. */
export type MountedApi = typeof MailApi

/** The interface with only these parts. */
export const apiOf = (parts: ReadonlyArray<EndpointPart> | undefined): MountedApi => {
  if (parts === undefined) return MailApi
  const mounted = new Set<string>(parts.flatMap((part) => groupsOfParts[part]))
  const groups = Object.values(MailApi.groups).filter(({ identifier }) => mounted.has(identifier))
  // The type keeps all groups, because which of them are mounted is known only at run time.
  return HttpApi.make("mailkeep")
    .add(...(groups as [(typeof groups)[number]]))
    .annotateMerge(MailApi.annotations) as unknown as MountedApi
}
