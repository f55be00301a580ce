/**
 * The mail core of the product: a SQLite file, the stub transport and no limits.
 */
import { MailCore, PlanSource } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import type { StubOptions } from "@mailkeep/smtp"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Layer } from "effect"

export const mail = (filename: string, stub: StubOptions = {}) =>
  MailCore.layerWith({ graceMillis: 2000 }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteMailStore.layer({ filename }),
        StubTransport.layer(stub),
        PlanSource.layerFixed({}),
        NodeCrypto.layer
      )
    )
  )
