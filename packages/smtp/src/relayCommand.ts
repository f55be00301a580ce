/**
 * Runs one command of the SMTP client as an effect.
 */
import type { SmtpStage, TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { RelayConnection } from "./RelayConnection.ts"
import type { RelayError, RelayRefused } from "./replies.ts"
import { failureOf } from "./replies.ts"

/** Succeeds when the command has ended. Fails by its error at this stage of the dialogue. An interruption stops the wait, but not the command. */
export const relayCommand = (
  connection: RelayConnection,
  stage: SmtpStage,
  begin: (done: (error?: RelayError | null) => void) => void
): Effect.Effect<void, RelayRefused | TransportUnavailable> =>
  Effect.callback((resume) => {
    const stop = connection.run(begin, (error) =>
      resume(error === null ? Effect.void : Effect.fail(failureOf(error, stage)))
    )
    return Effect.sync(stop)
  })
