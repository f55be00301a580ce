/**
 * Next.js: the route file `app/mail/[...path]/route.ts`. A build imports the file, which opens nothing.
 */
import { handleMail } from "./mail.ts"

/** The core needs Node, so the route does not run on the edge. */
export const runtime = "nodejs"
/** The answers depend on the request, so a build does not make them. */
export const dynamic = "force-dynamic"

export const GET = handleMail
export const POST = handleMail
export const PUT = handleMail
export const PATCH = handleMail
export const DELETE = handleMail
