import { sinkLaws, transportLaws } from "../src/index.ts"
import { conforms } from "../src/vitest.ts"
import { promiseSinkBench, promiseTransportBench } from "./promiseBench.ts"

conforms("a transport of plain async functions", transportLaws, { bench: promiseTransportBench })
conforms("an event sink of plain async functions", sinkLaws, { bench: promiseSinkBench })
