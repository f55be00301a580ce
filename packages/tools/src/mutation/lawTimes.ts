/**
 * How long a law may take while the laws run against mutants.
 */

/** These laws start processes or run long, so they run only when no other law is broken. */
export const isSlow = (id: string): boolean =>
  /^(?:durability|processes|differential)\/|as-large|many-large|texts-unchanged/.test(id)

/** A law that does not end within this time is broken. */
export const lawSecondsMax = (id: string): number => (isSlow(id) ? 180 : 20)
