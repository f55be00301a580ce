import { sinkLaws, transportLaws } from "../src/index.ts"
import { conforms } from "../src/vitest.ts"
import { promiseSink, promiseTransport } from "./promiseAdapters.ts"

conforms("a transport of plain async functions", transportLaws, { transport: promiseTransport })
conforms("an event sink of plain async functions", sinkLaws, { sink: promiseSink })
