/**
 * The interface behind Hono.
 */
import type { Server } from "node:http"
import { serve } from "@hono/node-server"
import { app } from "../src/hono.ts"
import { testProduct } from "./behavior.ts"
import { listening } from "./listening.ts"

testProduct("Hono on Node", async () => {
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server
  return { ...(await listening(server)), closesEarly: true }
})
