/**
 * Runs the product until it is stopped: `node src/main.ts [FILE]`. Each line of input is the address of a new account.
 * After a signal, the work under way ends before the process does.
 */
import { createInterface } from "node:readline"
import { EventSender, MailCore } from "@mailkeep/core"
import { Clock, Console, Effect, Layer, Queue, Stream } from "effect"
import { Accounts } from "./Accounts.ts"
import { mail } from "./mail.ts"

const addresses = Stream.callback<string>((queue) =>
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin }).on("line", (line) => Queue.offerUnsafe(queue, line))),
    (input) => Effect.sync(() => input.close())
  )
)

/** Listens from the start, because a signal without a listener would end the process at once. */
const stopSignal = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve())
})

const signUp = Effect.fn("signUp")(function* (email: string) {
  const accounts = yield* Accounts
  const createdAt = yield* Clock.currentTimeMillis
  const account = { id: `${email}:${createdAt}`, name: email.split("@")[0]!, email, createdAt }
  yield* accounts
    .signUp(account)
    .pipe(Effect.catchTag("InvalidArgument", ({ message }) => Console.log(`refused: ${message}`)))
})

const program = Effect.gen(function* () {
  const eventSender = yield* EventSender
  yield* eventSender.subscribe("console", ({ data }) => Console.log(`delivered: ${data.subject}`), ["email.delivered"])
  // The dispatcher, the event sender and the checks of domains. They end with the scope.
  yield* Effect.forkScoped(MailCore.run)
  yield* Console.log("running")
  yield* Effect.raceFirst(
    Effect.promise(() => stopSignal),
    Stream.runForEach(addresses, signUp)
  )
}).pipe(Effect.scoped)

const layer = Accounts.layer.pipe(Layer.provideMerge(mail(process.argv[2] ?? "product.db")))

await Effect.runPromise(program.pipe(Effect.provide(layer), Effect.andThen(Console.log("stopped"))))
