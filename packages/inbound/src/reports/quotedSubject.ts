/**
 * Removes what a bounce quotes of the subject of the returned message. Who sent the message chose these words, so they are no codes and no
 * reasons of the mail system.
 */

/** A line such as `Subject: Your order`, in the languages of well-known mail systems. */
const labelledSubject =
  /^[ \t>*|]{0,20}(?:subject|betreff|objet|sujet|asunto|oggetto|assunto|onderwerp|тема|件名|主题|主題|제목)[ \t]{0,20}[:：][^\n]*$/gimu

/** A shorter subject may be a word of the mail system, such as `Error`. */
const subjectCharactersMin = 8

/** Returns the text without the subject of the returned message, which is empty if it is not known. A subject can be the address that failed. */
export const withoutQuotedSubject = (text: string, returnedSubject: string): string =>
  returnedSubject.length < subjectCharactersMin || returnedSubject.includes("@")
    ? text
    : text.replaceAll(returnedSubject, () => " ")

/** Returns the explanation without the lines that give the subject, and without the subject elsewhere. */
export const withoutSubjectLines = (explanation: string, returnedSubject: string): string =>
  withoutQuotedSubject(explanation.replace(labelledSubject, ""), returnedSubject)

/** What Exchange, Notes and others write before the subject of the returned message. */
const undeliverableLabel =
  /^([^:]{0,60}(?:undeliver|non-delivery|unzustellbar|onbestelbaar|non remis|non recapitabile|no se puede entregar)[^:]{0,20}:).*$/isu

/** Returns the subject of a bounce without the subject of the returned message. */
export const ownSubjectOf = (subject: string, returnedSubject: string): string =>
  withoutQuotedSubject(subject.slice(0, 500).replace(undeliverableLabel, "$1"), returnedSubject)
