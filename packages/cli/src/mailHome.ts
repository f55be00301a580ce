/**
 * The core over the store in a data folder.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Plan } from "@mailkeep/core"
import { MailCore, PlanSource, StoreNotOpened } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer } from "effect"

const fileName = "mailkeep.db"

/** Makes the folder when it does not exist. */
const store = (folder: string) =>
  Layer.unwrap(
    Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        return SqliteMailStore.layer({ filename: join(folder, fileName) })
      },
      catch: (cause) => new StoreNotOpened({ reason: "unreachable", where: folder, cause })
    })
  )

export interface MailHomeOptions {
  readonly data: string
  readonly plan?: Partial<Plan>
}

/** It delivers to nobody, so a second hand-off after a crash doubles nothing and need not wait. */
const stub = StubTransport.layer({ keep: 0, capabilities: { idempotentHandoff: true } })

/** Every service of the core, over SQLite and the stub transport. */
export const layer = ({ data, plan = {} }: MailHomeOptions) =>
  MailCore.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(store(data), stub, PlanSource.layerFixed(plan), NodeCrypto.layer))
  )
