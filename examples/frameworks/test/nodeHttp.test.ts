/**
 * The interface behind `node:http`.
 */
import { server } from "../src/nodeHttp.ts"
import { testProduct } from "./behavior.ts"
import { listening } from "./listening.ts"

testProduct("node:http", async () => listening(server.listen(0, "127.0.0.1")))
