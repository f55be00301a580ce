/**
 * Texts of one line.
 */

/** Whether the text has no C0 or C1 control character and no line or paragraph separator. Such a character could end a header field. */
export const isOneLine = (text: string): boolean =>
  !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text) && text.isWellFormed()
