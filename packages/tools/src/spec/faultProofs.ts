/**
 * Short names for the laws, fault runs and tests that invariants cite.
 */

const proofIn = (file: string) => (title: string) => ({ file: `packages/${file}`, title })

export const law = (
  subject:
    | "claims"
    | "commit"
    | "idempotency"
    | "isolation"
    | "log"
    | "outbox"
    | "processes"
    | "contacts"
    | "durability"
    | "eventDeliveries"
) => proofIn(`conformance/src/store/${subject}.ts`)
export const transportLaw = proofIn("conformance/src/transport/transportLaws.ts")
export const kill = proofIn("fault-tests/src/kill/killLoop.ts")(
  "problems: lost, stuck, or duplicated without an ambiguous attempt"
)
export const freeze = proofIn("fault-tests/src/freeze/freezeLoop.ts")("duplicates, each after an ambiguous attempt")
export const power = proofIn("fault-tests/src/power/powerCuts.ts")("power cuts that lost or corrupted data")
export const calls = proofIn("fault-tests/src/syscalls/everyCall.ts")("runs that lost data or could not recover")
export const simulation = proofIn("fault-tests/src/simulation/simulate.ts")(
  "seeds with a lost, stuck or unexplained delivery"
)
export const fuzz = proofIn("fault-tests/src/fuzz/httpFuzz.ts")("requests answered")
export const attack = proofIn("fault-tests/src/attack/attackRun.ts")("attacks at the same time")
export const crashPoints = proofIn("fault-tests/test/crashPoints.test.ts")(
  "recovers from a crash at every write of $name"
)
export const surroundings = proofIn("fault-tests/test/surroundings.test.ts")
export const opening = proofIn("sqlite/test/opening.test.ts")
export const groups = proofIn("sqlite/test/groupCommit.test.ts")
export const deadWorker = proofIn("core/test/service/deadWorker.test.ts")
export const lateWorker = proofIn("core/test/service/lateWorker.test.ts")
export const sweeping = proofIn("core/test/service/sweeping.test.ts")
export const model = proofIn("core/test/service/model.test.ts")("gives the same results as the model")
export const replies = proofIn("core/test/domain/SmtpReply.test.ts")
export const finishAttempt = proofIn("core/test/decide/finishAttempt.test.ts")
