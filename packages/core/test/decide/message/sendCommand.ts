/**
 * Commands for the tests of `acceptSend`, and the records that they meet.
 */
import { Result } from "effect"
import type { AcceptSend } from "../../../src/decide/message/acceptSend.ts"
import type { ApiKeyRecord, Principal } from "../../../src/domain/access/ApiKey.ts"
import { permissions } from "../../../src/domain/access/ApiKey.ts"
import type { IdempotencyRecord } from "../../../src/domain/message/Idempotency.ts"
import type { SendInput } from "../../../src/domain/message/SendInput.ts"
import type { SendOptions } from "../../../src/domain/message/SendOptions.ts"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"
import { now, project, validSend } from "../fixtures.ts"

const embedded: Principal = { projectId: project, apiKeyId: null, permissions, domainScope: null, source: "embedded" }
export const byApiKey: Principal = { ...embedded, apiKeyId: "key_1", source: "api" }

export const apiKey: ApiKeyRecord = {
  id: "key_1",
  projectId: project,
  publicId: "public",
  secretHash: "hash",
  name: "",
  permissions: ["email.send"],
  domainScope: null,
  createdAt: now,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  revision: 4
}

export const command = (input: Partial<SendInput> = {}, change: Partial<AcceptSend> = {}): AcceptSend => ({
  principal: embedded,
  send: validSend(input),
  options: Result.getOrThrow(parseSendOptions({})),
  idempotency: { key: "k", fingerprint: "fingerprint" },
  attachments: [],
  ...change
})

export const withOptions = (options: SendOptions) => ({ options: Result.getOrThrow(parseSendOptions(options)) })

export const earlier: IdempotencyRecord = {
  projectId: project,
  key: "k",
  fingerprint: "fingerprint",
  result: { messageId: "msg_0", deliveryIds: ["del_0"], totalQueued: 1, scheduledAt: null },
  expiresAt: now + 1
}
