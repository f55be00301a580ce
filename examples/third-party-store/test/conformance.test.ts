/**
 * Checks the store against every law of the kit.
 */
import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/nodeTest"
import { place } from "./storeUnderTest.ts"

conforms("the store over node:sqlite", storeLaws, { place })
