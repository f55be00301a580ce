import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { MemoryMailStore } from "../src/index.ts"

conforms("memory", storeLaws, { place: MemoryMailStore.layer })
