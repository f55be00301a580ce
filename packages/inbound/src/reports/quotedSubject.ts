/**
 * Removes what a bounce quotes of the subject of the returned message. Who sent the message chose these words, so they are no codes and no
 * reasons of the mail system.
 */

/** What is before the subject in a line such as `The message subject was: Your order`, in the languages of well-known mail systems. */
const subjectLabel =
  /(?:subject|betreff|objet|sujet|asunto|oggetto|assunto|onderwerp|тема|件名|主题|主題|제목)(?: was)?[ \t]{0,20}[:：]/iu
const beforeLabelMax = 60

/** A reply may be before the label, so that is kept. */
const withoutLabelledSubject = (line: string): string => {
  const at = subjectLabel.exec(line)?.index ?? -1
  return at === -1 || at > beforeLabelMax ? line : line.slice(0, at)
}

/** A shorter subject may be a word of the mail system, such as `Error`. */
const subjectCharactersMin = 8

/** Returns the text without the subject of the returned message, which is empty if it is not known. A subject can be the address that failed. */
const withoutQuotedSubject = (text: string, returnedSubject: string): string =>
  returnedSubject.length < subjectCharactersMin || returnedSubject.includes("@")
    ? text
    : text.replaceAll(returnedSubject, () => " ")

/** Returns the explanation without the subject after its label, and without the subject elsewhere. */
export const withoutSubjectLines = (explanation: string, returnedSubject: string): string =>
  withoutQuotedSubject(explanation.split("\n").map(withoutLabelledSubject).join("\n"), returnedSubject)

/** What Exchange, Notes and others write before the subject of the returned message. */
const undeliverableLabel =
  /^([^:]{0,60}(?:undeliver|non-delivery|unzustellbar|onbestelbaar|non remis|non recapitabile|no se puede entregar)[^:]{0,20}:).*$/isu

/** Returns the subject of a bounce without the subject of the returned message. */
export const ownSubjectOf = (subject: string, returnedSubject: string): string =>
  withoutQuotedSubject(subject.slice(0, 500).replace(undeliverableLabel, "$1"), returnedSubject)
