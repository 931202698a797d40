/** Field schemas shared by several endpoints. */
import * as z from 'zod/mini';
import { comparableEmail } from './comparable-email.ts';
import { type IdKind, idMessage, idPattern, idPrefixes } from './ids.ts';
import { nameMax, overlapHours, overlapHoursMax, reservedSlugs, retentionDaysMax, slugMax, slugMin } from './limits.ts';
import { visibleText } from './visible-text.ts';

/** Rejects control characters, which break logs and spreadsheets, and lone surrogates, which do not survive UTF-8. */
const isPrintable = (text: string): boolean => text.isWellFormed() && !/\p{Cc}|[\u2028\u2029]/u.test(text);

export const text = (max: number) =>
  z.string().check(
    z.minLength(1, 'must not be empty'),
    z.maxLength(max, `must be at most ${max} characters`),
    z.refine(isPrintable, 'must not contain control characters or unpaired surrogates'),
    z.refine((value) => value.trim() === value, 'must not begin or end with whitespace'),
  );

/** Characters that a person does not see are removed, so that a name cannot pretend to be another one. */
export const Name = text(nameMax).check(
  z.overwrite((name) => visibleText(name).trim()),
  z.minLength(1, 'must not be empty'),
  z.meta({ examples: ['Example'] }),
);
/** A name as the API returns it; names that were stored before may contain invisible characters. */
export const ShownName = z.string().check(z.overwrite(visibleText));
export const Moment = z.iso.datetime({ offset: true });
export const id = (kind: IdKind) =>
  z
    .string()
    .check(z.regex(idPattern(kind), idMessage(kind)), z.meta({ examples: [`${idPrefixes[kind]}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`] }));

/** As `comparableEmail`; plus-addresses are distinct. */
export const Email = z
  .pipe(
    z.pipe(
      z.string().check(
        z.maxLength(254, 'must be at most 254 characters'),
        z.refine((value) => comparableEmail(value.trim()) !== undefined, 'must not contain characters that look like others'),
      ),
      z.transform((value) => comparableEmail(value.trim()) ?? value),
    ),
    z.email('must be an e-mail address'),
  )
  .check(z.meta({ format: 'email', examples: ['ada@example.com'] }));

export const Slug = z.string().check(
  z.minLength(slugMin, `must be at least ${slugMin} characters`),
  z.maxLength(slugMax, `must be at most ${slugMax} characters`),
  z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by single hyphens'),
  z.refine((slug) => !reservedSlugs.includes(slug), 'is reserved'),
  z.meta({ examples: ['example'] }),
);

/** IANA names only: Intl also accepts offsets such as +02:00, which have no daylight saving rules. */
const isTimezone = (name: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // Intl ignores case; EventBridge Scheduler does not.
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
};
export const Timezone = z
  .string()
  .check(
    z.maxLength(64),
    z.refine(isTimezone, 'must be an IANA time zone, such as Europe/Berlin'),
    z.meta({ examples: ['Europe/Berlin'] }),
  );

/** A date or date-time in a query; a date is in UTC. */
export const When = z.union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be an ISO 8601 date or date-time');

/** How long something is kept. */
export const KeptDays = z
  .int('must be a whole number of days')
  .check(z.minimum(1, 'must be at least 1'), z.maximum(retentionDaysMax, `must be at most ${retentionDaysMax}`));

/** Names that S3, Google and DigitalOcean accept; never a path. */
export const BucketName = z
  .string()
  .check(z.regex(/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, 'must be a bucket name'), z.meta({ examples: ['my-backups'] }));

/** Key of a Google service account. The private key is stored encrypted and never returned. */
export const GoogleCredentials = z.strictObject({
  clientEmail: z.email('must be the e-mail address of a service account').check(z.maxLength(254)),
  privateKey: z
    .string()
    .check(
      z.maxLength(3_500, 'must be at most 3500 characters'),
      z.regex(
        /^-----BEGIN (RSA )?PRIVATE KEY-----[\s\S]+-----END (RSA )?PRIVATE KEY-----(\s|\\n)*$/,
        'must be a private key in PEM form',
      ),
      z.meta({ examples: ['-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n'] }),
    ),
});

/** Documents that a backup may read. */
export const MaxReads = z.int('must be a whole number').check(z.minimum(1, 'must be at least 1'));

const overlapRange = `must be a whole number from 0 to ${overlapHoursMax}`;
/** How long a rotated secret also works. Each use has its own description, so each has its own schema. */
export const overlapField = () =>
  z._default(z.int(overlapRange).check(z.minimum(0, overlapRange), z.maximum(overlapHoursMax, overlapRange)), overlapHours);

/** The body of an operation without parameters; it may be absent. */
export const noBody = { body: z.strictObject({}), bodyOptional: true } as const;
