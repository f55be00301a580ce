/**
 * A product that `strace` records: many callers send, some contacts are created, and it ends when every delivery is handed off.
 */
import { Contacts, Dispatcher, Domains } from "@mailkeep/core"
import { Effect } from "effect"
import { embeddedMail, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import type { WorkerReport } from "../workerReports.ts"
import { appender } from "../Lines.ts"
import { noRelayFaults } from "../RecordingTransport.ts"

const [folder, count, atOnce] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])]
const report: (line: WorkerReport) => void = appender(filesIn(folder).reports)

const sendOne = (n: number) =>
  Effect.gen(function* () {
    const { messageId, deliveryIds } = yield* send(
      `k${n}`,
      sendBody({ to: [`a${n}@example.org`, `b${n}@example.org`], html: "x".repeat(n * 7) })
    )
    report({ kind: "sent", key: `k${n}`, messageId, deliveryIds })
    if (n % 10 !== 0) return
    const email = `a${n}@example.org`
    const contact = yield* Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email }))
    report({ kind: "contact", id: contact.id, email, firstName: "", emailStatus: contact.emailStatus })
  })

const work = Effect.gen(function* () {
  yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
  const dispatcher = yield* Dispatcher
  yield* Effect.forkScoped(dispatcher.run)
  yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    sendOne,
    { concurrency: atOnce, discard: true }
  )
  while ((yield* dispatcher.health).queued + (yield* dispatcher.health).sending > 0) yield* Effect.sleep("5 millis")
})

await Effect.runPromise(
  Effect.scoped(work).pipe(Effect.provide(embeddedMail(folder, { ...noRelayFaults, delayMillisMax: 2 })))
)
