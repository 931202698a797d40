/**
 * The form in which e-mail addresses are compared: A to Z in lower case, everything else unchanged. Undefined for an address that
 * imitates another one with compatibility characters (NFKC), such as a full-width letter or the Kelvin sign, which Unicode's own lower
 * case would turn into a plain k.
 */
export const comparableEmail = (email: string): string | undefined =>
  email === email.normalize('NFKC') ? email.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : undefined;
