/**
 * A worker thread that simulates a range of seeds and reports the sums.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { SimulationOptions } from "./simulateSeeds.ts"
import { simulateSeeds } from "./simulateSeeds.ts"

parentPort!.postMessage(simulateSeeds(workerData as SimulationOptions))
