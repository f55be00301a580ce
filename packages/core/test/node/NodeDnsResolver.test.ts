import { resolverLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { nodeResolver } from "./nodeDnsUnderTest.ts"

conforms("the DNS resolver of Node", resolverLaws, nodeResolver)
