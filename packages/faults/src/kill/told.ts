/**
 * What a worker tells of itself, line by line: what it tries before it does, and what it was answered.
 */
import type { SendBody } from "@mailkeep/core"

export type Told =
  | { readonly told: "trySend"; readonly key: string; readonly body: SendBody }
  | {
      readonly told: "sent"
      readonly key: string
      readonly messageId: string
      readonly deliveryIds: ReadonlyArray<string>
    }
  | { readonly told: "canceled"; readonly messageId: string }
  | { readonly told: "tryContact"; readonly email: string }
  | {
      readonly told: "contact"
      readonly id: string
      readonly email: string
      readonly firstName: string
      readonly emailStatus: string
    }
  | { readonly told: "wrong"; readonly what: string }
