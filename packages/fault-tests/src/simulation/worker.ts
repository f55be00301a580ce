/**
 * A worker thread that simulates a range of seeds and reports the sums.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { SimulationOptions } from "./simulate.ts"
import { simulateSeeds } from "./simulate.ts"

parentPort!.postMessage(simulateSeeds(workerData as SimulationOptions))
