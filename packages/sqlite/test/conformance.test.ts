import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { place } from "./place.ts"

conforms("sqlite", storeLaws, { place })
