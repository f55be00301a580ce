/**
 * Lets each property of fast-check run as often as `PROPERTY_RUNS` says, unless its test has a number of its own. The tests load this file only with
 * that variable.
 */
import { configureGlobal } from "fast-check"

const runs = Number(process.env["PROPERTY_RUNS"])
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error("PROPERTY_RUNS must be a whole number from 1.")
configureGlobal({ numRuns: runs })
