/**
 * Checks the stores of the guide, which are written with plain async functions.
 */
import { storeLaws } from "../src/index.ts"
import { conforms } from "../src/vitest.ts"
import { layer } from "./example/MapStore.ts"
import { place } from "./example/storeUnderTest.ts"

conforms("the guide's Map", storeLaws, { place: layer })
conforms("the guide's journal", storeLaws, { place })
