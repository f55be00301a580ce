/**
 * Express: the listener comes before the body parser, because it reads the body itself.
 */
import { nodeListener } from "@mailkeep/http/node"
import express from "express"
import { handleMail } from "./mail.ts"

export const app = express()

app.use("/mail", nodeListener(handleMail))
app.use(express.json())
app.get("/", (_request, response) => void response.json({ shop: "open" }))
