/**
 * Short names for the files that statements point to.
 */
import type { Statement } from "./Statement.ts"

const test = (file: string) => (title: string) => ({ file: `packages/${file}.test.ts`, title })

export const wire = test("http/test/wire")
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

const domain = (name: string) => `packages/core/src/domain/${name}.ts`
const decide = (name: string) => `packages/core/src/decide/${name}.ts`
const service = (name: string) => `packages/core/src/service/${name}.ts`
const api = (name: string) => `packages/http/src/api/${name}.ts`
const server = (name: string) => `packages/http/src/server/${name}.ts`

export const at = { domain, decide, service, api, server }

type Proof = ReturnType<typeof wire>

/** The statements of one section, numbered from 1. */
export const section = (
  number: number,
  title: string,
  rows: ReadonlyArray<
    readonly [says: string, lives: ReadonlyArray<string>, heldBy: ReadonlyArray<Proof>, decision?: string]
  >
): ReadonlyArray<Statement> =>
  rows.map(([says, lives, heldBy, decision], index) => ({
    id: `S${number}.${index + 1}`,
    section: title,
    says,
    lives,
    heldBy,
    ...(decision === undefined ? {} : { decision })
  }))
