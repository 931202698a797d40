/** Lines of CSV files (RFC 4180), safe against formula injection. */

/**
 * Prefixes that a spreadsheet interprets as a formula or a separator (ASVS 1.2.10, WSTG-INPV-21): = + - @, their full-width forms,
 * tab, line ends and NUL. A leading apostrophe makes the cell text.
 */
const formulaPrefix = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Semicolons and tabs separate cells in some locales, so they are quoted, too. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** A cell of text that no spreadsheet runs. */
export const csvTextCell = (text: string): string => csvExactCell(formulaPrefix.test(text) ? `'${text}` : text);

/** A cell whose text is not changed: a number, or a text that no spreadsheet will open. */
export const csvExactCell = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A line of text cells. */
export const csvLineOf = (cells: readonly string[]): string => `${cells.map(csvTextCell).join(',')}\r\n`;
