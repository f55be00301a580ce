/**
 * The configuration that VitePress looks for at this place.
 */
export { default } from "../src/config.ts"
