/**
 * Short names for the laws, fault runs and tests that invariants point to.
 */

const at = (file: string) => (title: string) => ({ file: `packages/${file}`, title })

export const law = (
  room:
    | "claims"
    | "commit"
    | "idempotency"
    | "isolation"
    | "log"
    | "outbox"
    | "processes"
    | "contacts"
    | "durability"
    | "pushes"
) => at(`conformance/src/store/${room}.ts`)
export const transportLaw = at("conformance/src/transport/transportLaws.ts")
export const kill = at("faults/src/kill/killLoop.ts")("lost, stuck or doubled without a mark")
export const freeze = at("faults/src/freeze/freezeLoop.ts")("doubles, each after a marked attempt")
export const power = at("faults/src/power/powerCuts.ts")("cuts with anything lost or broken")
export const calls = at("faults/src/syscalls/everyCall.ts")("runs that lost anything or could not go on")
export const lives = at("faults/src/simulation/simulate.ts")("seeds with anything lost, stuck or unexplained")
export const fuzz = at("faults/src/fuzz/httpFuzz.ts")("requests answered")
export const attack = at("faults/src/attack/attackRun.ts")("attacks at the same time")
export const crashPoints = at("faults/test/crashPoints.test.ts")("$name goes on as if nothing had happened")
export const surroundings = at("faults/test/surroundings.test.ts")
export const migrating = at("sqlite/test/migrating.test.ts")
export const opening = at("sqlite/test/opening.test.ts")
export const groups = at("sqlite/test/groupCommit.test.ts")
export const deadWorker = at("core/test/service/deadWorker.test.ts")
export const lateWorker = at("core/test/service/lateWorker.test.ts")
export const sweeping = at("core/test/service/sweeping.test.ts")
export const model = at("core/test/service/model.test.ts")("does what the model does")
export const replies = at("core/test/domain/SmtpReply.test.ts")
export const settling = at("core/test/decide/settleAttempt.test.ts")
