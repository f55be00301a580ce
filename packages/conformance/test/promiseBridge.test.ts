import { resolverLaws, sinkLaws, transportLaws } from "../src/index.ts"
import { conforms } from "../src/vitest.ts"
import { promiseResolver, promiseSink, promiseTransport } from "./promiseAdapters.ts"

conforms("a transport of plain async functions", transportLaws, { transport: promiseTransport })
conforms("an event sink of plain async functions", sinkLaws, { sink: promiseSink })
conforms("a DNS resolver of plain async functions", resolverLaws, promiseResolver)
