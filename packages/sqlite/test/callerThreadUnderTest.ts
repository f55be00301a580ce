/**
 * The store of `storeUnderTest.ts` with its commits on the caller's thread, and its scans too while the file is small. The mutants run with this store, because a thread would load the
 * original sources.
 */
import { open as openWith, placeWith } from "./storeUnderTest.ts"

/** @public Imported by other processes. */
export const open = (filename: string) => openWith(filename, "caller")

export const place = placeWith(import.meta.url, open)
