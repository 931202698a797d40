/** The identity provider's claims about a user, limited to what a token or a log can hold. */
import { comparableEmail } from '../contract/comparable-email.ts';
import { unauthorized } from '../contract/errors.ts';
import { nameMax } from '../contract/limits.ts';
import { visibleText } from '../contract/visible-text.ts';

export interface Profile {
  /** As the provider spells it; compared by `comparableEmail`. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string | null;
}

export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly profile: Profile;
  /** For project connections. Providers may omit it after the first consent. */
  readonly refreshToken: string | undefined;
  /** The scopes the user consented to, which can be fewer than requested. */
  readonly scopes: readonly string[];
}

const emailMax = 254;
const pictureMax = 2_048;

/** Reads the OpenID Connect standard claims. Throws UNAUTHORIZED without an e-mail address. */
export const readProfile = (claims: Readonly<Record<string, unknown>>): Profile => {
  const { email, picture } = claims;
  if (typeof email !== 'string' || email.length > emailMax || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) {
    throw unauthorized('The identity provider did not share your e-mail address. Allow it and sign in again');
  }
  if (comparableEmail(email) === undefined) {
    throw unauthorized('Your e-mail address contains characters that look like others. Sign in with another address');
  }
  return {
    email: email.toWellFormed(),
    // Some providers send the string 'true'.
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: printable(claims.name) || email.toWellFormed().slice(0, nameMax),
    picture:
      typeof picture === 'string' && picture.length <= pictureMax && URL.canParse(picture) && /^https?:/.test(picture)
        ? picture
        : null,
  };
};

const printable = (value: unknown): string =>
  typeof value === 'string'
    ? visibleText(value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '))
        .trim()
        .slice(0, nameMax)
        .toWellFormed()
    : '';
