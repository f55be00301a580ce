/**
 * Hono: the handler takes the web-standard request of the context. `app.mount` does not fit, because it shortens the path.
 */
import { Hono } from "hono"
import { handleMail } from "./mail.ts"

export const app = new Hono()
  .get("/", (context) => context.json({ shop: "open" }))
  .all("/mail/*", (context) => handleMail(context.req.raw))
