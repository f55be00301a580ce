import { MemoryMailStore } from "@mailkeep/memory"
import { MailStore } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import { runConformance, storeLaws } from "./src/index.ts"
import { storeMutants } from "./test/mutants/storeMutants.ts"
const law = "differential/no-script-finds-a-difference"
const place = Layer.effect(MailStore, Effect.map(MemoryMailStore.make, storeMutants[law]!))
const seen: Record<string, number> = {}
for (let seed = 1; seed <= 40; seed++) {
  const { laws } = await Effect.runPromise(runConformance("m", storeLaws, { place, seed }, { only: [law], limitSeconds: 20 }))
  const v = laws[0]!.verdict
  seen[v] = (seen[v] ?? 0) + 1
}
console.log(seen)
