/**
 * Finds the contents that were staged and never committed. Source: docs/decisions/0091-staged-contents.md.
 */
export const sql = `
CREATE INDEX mailkeep_contents_staged ON mailkeep_contents (hash) WHERE hash >= 'staged-';
`
