/**
 * Creates the records that the attacks need: projects, API keys, domains, 200,000 contacts, templates and segments. Uses the command and
 * the HTTP interface. If the server refuses a size, tries smaller ones.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Address, AttackerProject, PreparedRecords, PreparedSegment, PreparedTemplate } from "./Attack.ts"
import { attackerProjects, preparedSegments, preparedTemplates } from "./Attack.ts"
import { comparisonsMax, containsFilter, inFilter } from "./attacks/contacts.ts"
import { taggedHtml } from "./attacks/templates.ts"
import type { HonestProject } from "./HonestRequest.ts"
import { honestProjects } from "./HonestRequest.ts"
import { mailkeep, startServer } from "./targetServer.ts"

export interface Prepared {
  /** The file of the command `mailkeep`. */
  readonly command: string
  /** The data folder of the server. */
  readonly folder: string
  readonly records: PreparedRecords
  readonly honestKeys: Readonly<Record<HonestProject, string>>
  /** Number of created segments of maximum size. */
  readonly segmentsCreated: number
}

const firstNames = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Fay"]
const lastNames = ["Stone", "Rivers", "Okafor", "Lindqvist", "Tanaka", "Mbeki"]

const writeContacts = (file: string, contacts: number): void => {
  const descriptor = openSync(file, "w")
  writeSync(descriptor, "email,first_name,last_name,phone_number,user_id\n")
  const row = (n: number) =>
    `person${n}@example.org,${firstNames[n % 6]},${lastNames[Math.floor(n / 6) % 6]},+4912345${n},user-${n}\n`
  for (let from = 0; from < contacts; from += 1000)
    writeSync(descriptor, Array.from({ length: Math.min(1000, contacts - from) }, (_, n) => row(from + n)).join(""))
  closeSync(descriptor)
}

const createApiKey = async (command: string, folder: string, project: string): Promise<string> => {
  const permissions = ["--permission", "email.send", "--permission", "email.full_access"]
  const { key } = await mailkeep<{ key: string }>(command, folder, [
    "keys",
    "create",
    "--project",
    project,
    ...permissions
  ])
  return key
}

const addDomain = (command: string, folder: string, project: string) =>
  mailkeep(command, folder, [
    "domains",
    "add",
    `${project.slice("prj_".length)}.example`,
    "--project",
    project,
    "--verified"
  ])

const projectsThatSend = [...honestProjects, "prj_templates", "prj_connections", "prj_bodies"]

/** Creates a record. Returns its id, or `undefined` if the server refused it. */
const create = async (address: Address, apiKey: string, path: string, body: object): Promise<string | undefined> => {
  const response = await fetch(`http://${address.host}:${address.port}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as { data?: { id?: string } }
  return response.ok ? answer.data?.id : undefined
}

/** Creates the largest record that the server allows: of this size, a half, a quarter and so on. */
const createLargest = async (
  size: number,
  one: (size: number) => Promise<string | undefined>
): Promise<{ readonly id: string; readonly size: number }> => {
  for (let tried = size; tried >= 1; tried = Math.floor(tried / 2)) {
    const id = await one(tried)
    if (id !== undefined) return { id, size: tried }
  }
  throw new Error(`the record was refused at every size from ${size} to 1`)
}

const variable = [{ key: "a", type: "string", fallback_value: "x" }]
const bytes = (text: string, size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size)

/** The first size to try, and the content for a size. */
const templateContents: Readonly<Record<PreparedTemplate, readonly [number, (size: number) => object]>> = {
  bodyTags: [400_000, (size) => ({ preview_text: "A preview", html: bytes("<body ", size) })],
  rawValue: [10, () => ({ preview_text: "A preview", html: "{{{a}}}" })],
  small: [14_000, (size) => ({ html: taggedHtml(size) })],
  large: [2_000_000, (size) => ({ html: taggedHtml(size) })],
  hundredTags: [500, (size) => ({ html: taggedHtml(size) })],
  manyTags: [1_000_000, (size) => ({ html: taggedHtml(size) })],
  largeAnswer: [2_000_000, (size) => ({ html: bytes("A text. ", size), text: bytes("A text. ", size) })]
}

const prepareTemplate = async (
  address: Address,
  apiKeys: Readonly<Record<AttackerProject, string>>,
  name: PreparedTemplate
): Promise<string> => {
  const apiKey = apiKeys[name === "largeAnswer" ? "prj_connections" : "prj_templates"]
  const [size, content] = templateContents[name]
  const { id } = await createLargest(size, (size) =>
    create(address, apiKey, "/emails/templates", { name, subject: "A subject", variables: variable, ...content(size) })
  )
  await create(address, apiKey, `/emails/templates/${id}/publish`, {})
  return id
}

const createSegment = (address: Address, apiKey: string, name: string, filter: object) =>
  create(address, apiKey, "/emails/segments", { name, filter })

/** Creates the segment with the largest accepted filter. */
const createMaximalSegment = (address: Address, apiKey: string, name: string) =>
  createLargest(comparisonsMax, (size) => createSegment(address, apiKey, name, inFilter(size)))

const prepareSegment = async (address: Address, apiKey: string, name: PreparedSegment): Promise<string> => {
  if (name === "in") return (await createMaximalSegment(address, apiKey, name)).id
  const id = await createSegment(address, apiKey, name, name === "contains" ? containsFilter() : { all: [] })
  if (id === undefined) throw new Error(`the segment "${name}" was refused`)
  return id
}

const segmentsMax = 200
/** Maximum time to create the segments. A slower server gets fewer segments; the report shows their number. */
const segmentsMillisMax = 40_000

/** Creates as many segments as the project may have, each with the largest accepted filter. Returns their number. */
const prepareMaximalSegments = async (address: Address, apiKey: string): Promise<number> => {
  const { size } = await createMaximalSegment(address, apiKey, "maximal")
  const filter = inFilter(size)
  let created = 1
  const giveUpAt = Date.now() + segmentsMillisMax
  while (
    created < segmentsMax &&
    Date.now() < giveUpAt &&
    (await createSegment(address, apiKey, `maximal ${created}`, filter)) !== undefined
  )
    created++
  return created
}

const entries = async <K extends string, V>(keys: ReadonlyArray<K>, one: (key: K) => Promise<V>) => {
  const record: Partial<Record<K, V>> = {}
  for (const key of keys) record[key] = await one(key)
  return record as Record<K, V>
}

export interface Preparation {
  /** The file of the command `mailkeep`. */
  readonly command: string
  /** Number of contacts of the project whose contacts are listed. */
  readonly contacts: number
  /** Whether to create the segments of maximum size. */
  readonly maximalSegments: boolean
}

/** Prepares a data folder below `parent`. Runs a server for it, which has stopped at the end. */
export const prepare = async (
  parent: string,
  { command, contacts, maximalSegments }: Preparation
): Promise<Prepared> => {
  const folder = join(parent, "data")
  const apiKeys = await entries(attackerProjects, (project) => createApiKey(command, folder, project))
  const honestKeys = await entries(honestProjects, (project) => createApiKey(command, folder, project))
  for (const project of projectsThatSend) await addDomain(command, folder, project)
  const csv = join(parent, "contacts.csv")
  writeContacts(csv, contacts)
  await mailkeep(command, folder, ["contacts", "import", csv, "--project", "prj_contacts"])
  const server = await startServer(command, folder)
  try {
    const templates = await entries(preparedTemplates, (name) => prepareTemplate(server.address, apiKeys, name))
    const segments = await entries(preparedSegments, (name) =>
      prepareSegment(server.address, apiKeys.prj_contacts, name)
    )
    const segmentsCreated = maximalSegments ? await prepareMaximalSegments(server.address, apiKeys.prj_segments) : 0
    return { command, folder, honestKeys, segmentsCreated, records: { apiKeys, templates, segments } }
  } finally {
    await server.stop()
  }
}
